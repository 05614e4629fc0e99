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
  request: wire.ListRequest, read: (part: wire.ListRequest) => Promise<[readonly T[], boolean]>,
): Promise<[T[], boolean]> {
  let [rows, hasMore]: [readonly T[], boolean] = await read(request)
  const limit = request.limit ?? limits.defaultListLimit
  for (let first = rows[0]; hasMore && first !== undefined && rows.length < limit; ) {
    const [older, more] = await read({ ...request, limit: limit - rows.length, beforeSeq: first.seq })
    rows = [...older, ...rows]
    hasMore = more && older.length > 0
    first = rows[0]
  }
  return [[...rows], hasMore]
}

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
