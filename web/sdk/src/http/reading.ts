import { readNode } from '../chain/node.js'
import { ChainError } from '../chain/row.js'
import { asArray, asObject, asPosition, asText, defined, member } from '../json/read.js'
import { ReplyError } from '../protocol/errors.js'
import type * as wire from '../protocol/contract.js'
import { limits } from '../protocol/contract.js'
import { type Call, routeOf } from './call.js'
import type { ChainNodes } from './client.js'
import type { NodeOptions } from './options.js'

/** Reads pages from the newest back, until there are as many rows as requested, or no more. */
export async function allPages<T extends { readonly seq: number }>(
  request: wire.ListRequest, read: (part: wire.ListRequest) => Promise<Page<T>>,
): Promise<{ rows: T[], rest: { hasMore: boolean, damaged?: number[] } }> {
  let [rows, hasMore, damaged]: Page<T> = await read(request)
  const limit = request.limit ?? limits.defaultListLimit
  for (let first = rows[0]; hasMore && first !== undefined && rows.length < limit; ) {
    const [older, more, olderDamaged] = await read({ ...request, limit: limit - rows.length, beforeSeq: first.seq })
    rows = [...older, ...rows]
    hasMore = more && older.length > 0
    damaged = olderDamaged === undefined ? damaged : [...olderDamaged, ...(damaged ?? [])]
    first = rows[0]
  }
  return { rows: [...rows], rest: { hasMore, ...(damaged === undefined ? {} : { damaged: [...damaged] }) } }
}

/** A page of a list: its rows, whether there are more, and the damaged ones that it leaves out. */
type Page<T> = readonly [rows: readonly T[], hasMore: boolean, damaged: readonly number[] | undefined]

/** Asks for the state of a rev. */
export function at(options: NodeOptions | undefined): { atRev?: number } {
  return options?.atRev === undefined ? {} : { atRev: options.atRev }
}

/** The least rev that an answer may be from. */
export function leastRev(options: NodeOptions | undefined): number {
  return Math.max(options?.minRev ?? 0, options?.atRev ?? 0)
}

/** Reads the body of getPlayerChainNodes. */
export function chainNodes(value: unknown): ChainNodes {
  const body = asObject(value)
  return defined({
    nodes: (asArray(member(body, 'nodes')) ?? []).map(readNode),
    rev: asPosition(member(body, 'rev')),
    merkleRootHex: asText(member(body, 'merkleRootHex')),
    merkleLeafCount: asPosition(member(body, 'merkleLeafCount')),
  })
}

/** Turns a reply that the chain's readers refuse into the error of its route. */
export function understood<T>(call: Call, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ChainError) throw new ReplyError(routeOf(call), error.message, { cause: error })
    throw error
  }
}
