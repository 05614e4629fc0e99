import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { it } from 'node:test'
import {
  type Json, canonicalJson, parseJson, parsePlayerChainFanoutNotify, playerChainRoot, sortNodeRefsForSerializedFetch,
} from '../src/index.js'
import type { WorldSnapshot } from '../src/index.js'
import { digestText, leafDigest } from '../src/chain/digest.js'
import { readNode } from '../src/chain/node.js'
import { type Random, below, damaged, oneOf, random, someJson, someJsonText, someText } from './random.js'
import { repository } from './repository.js'

/** The Go code's answer about a text; see test/answers/main.go. */
interface Answer {
  readonly canonical?: string
  readonly leafDigestHex?: string
  readonly snapshot?: { merkleRootHex: string; merkleLeafCount: number }
  readonly node?: string
  readonly notify: boolean
  readonly order?: readonly string[]
}

/** Returns the Go code's answers about texts. */
function answersOf(texts: readonly string[]): Answer[] {
  const lines = execFileSync('go', ['run', './web/sdk/test/answers'], {
    cwd: repository, encoding: 'utf8', maxBuffer: 1 << 30, input: texts.map((text) => `${JSON.stringify(text)}\n`).join(''),
  })
  return lines.trimEnd().split('\n').map((line) => JSON.parse(line) as Answer)
}

/** Returns this client's answer about a text. */
function ownAnswer(text: string): Answer {
  const value = resultOrUndefined(() => parseJson(text))
  if (value === undefined) return { notify: false }
  const canonical = canonicalJson(value)
  const snapshot = resultOrUndefined(() => playerChainRoot(value as unknown as WorldSnapshot))
  const node = resultOrUndefined(() => readNode(value))
  const notify = parsePlayerChainFanoutNotify(value)
  const order = sortNodeRefsForSerializedFetch(notify?.nodes ?? []).map((ref) => ref.stableKey)
  return {
    canonical, leafDigestHex: digestText(leafDigest(canonical)),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(node === undefined ? {} : { node: `${node.kind} ${node.stableKey}` }),
    notify: notify !== undefined,
    ...(order.length === 0 ? {} : { order }),
  }
}

function resultOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Compares the answers of both, and returns for how many texts a condition holds. */
function countAgreed(texts: readonly string[], counts: (answer: Answer) => boolean): number {
  const answers = answersOf(texts)
  assert.equal(answers.length, texts.length)
  for (const [i, answer] of answers.entries()) assert.deepEqual(ownAnswer(texts[i] ?? ''), answer, texts[i])
  return answers.filter(counts).length
}

/** Returns the row of an agent, a placement, a person or a structure, usually a valid one. */
function someRow(next: Random, i: number): Json {
  const id = `${someText(next)}${i}`
  const place = { name: someText(next), x: below(next, 40) - 20, y: below(next, 20), [someText(next)]: someJson(next, 2) }
  const row = oneOf<Record<string, Json>>(next,
    { kind: 'agent', nodeId: oneOf(next, 'n', 'm', `n${i}`), agentId: id, ...place, toolNames: ['chat_tool'] },
    { kind: 'mcp', id, nodeId: 'n', ...place, url: 'https://example.com' },
    { kind: 'human', id, ...place },
    { kind: 'structure', id, ...place, worldId: 'w', spaceIds: [id], stationary: true })
  return malformed(next, row)
}

function someSpace(next: Random, i: number): Json {
  return malformed(next, {
    id: `${someText(next)}${i}`, name: someText(next), description: '', designKey: 'd', owner: { displayName: someText(next), nodeId: 'n' },
    amenities: oneOf(next, ['shop'], ['shop', 'car_wash'], ['supermarket']),
  })
}

/** Sometimes removes a member, or sets it to another value. */
function malformed(next: Random, row: Record<string, Json>): Record<string, Json> {
  if (next() < 0.97) return row
  const name = oneOf(next, ...Object.keys(row))
  const { [name]: _gone, ...rest } = row
  return next() < 0.5 ? rest : { ...rest, [name]: oneOf<Json>(next, null, '', 0, 1.5, [], {}, true, 'x', [1]) }
}

function someSnapshot(next: Random): Json {
  const occupants = Array.from({ length: below(next, 12) }, (_, i) => someRow(next, i))
  const spaces = Array.from({ length: below(next, 4) }, (_, i) => someSpace(next, i))
  const bounds = { minX: -20, minY: 0, maxX: 20, maxY: below(next, 40) }
  return { sid: someText(next), mainNodeId: someText(next), rev: 3, seq: 4, worldMap: { bounds, occupants }, spaces, mcpServers: [] }
}

function someNode(next: Random): Json {
  const stableKey = oneOf(next, '__genesis__', '__header__', 'agent:n:a', 'mcp:1', 'space:1', '', 'x')
  const bounds = malformed(next, { minX: 0, minY: 0, maxX: 20, maxY: 12 })
  return malformed(next, oneOf<Record<string, Json>>(next,
    { kind: 'genesis', stableKey, text: someText(next) },
    { kind: 'header', stableKey, sid: someText(next), bounds },
    { kind: 'occupant', stableKey, removed: true },
    { kind: 'space', stableKey, removed: true },
    { kind: 'occupant', stableKey, removed: false, occupant: someRow(next, 1) },
    { kind: 'space', stableKey, removed: false, space: someSpace(next, 1) }))
}

function someNotify(next: Random): Json {
  const nodes = Array.from({ length: below(next, 8) }, (_, i) => malformed(next, {
    stableKey: `mcp:${i}`, leafIndex: oneOf(next, below(next, 5), -1, 2.5), ...oneOf(next, {}, { removed: true }, { removed: false }), ...oneOf(next, {}, { updatedAt: 'now' }),
  }))
  return malformed(next, { updatedAt: '2026-01-02T03:04:05.678Z', nodes })
}

const texts = (count: number, make: () => string) => Array.from({ length: count }, make)

it('reads, writes and hashes JSON as the Go code does', () => {
  const next = random(Number(process.env.PLAYCTL_TEST_SEED ?? 11))
  const good = countAgreed(texts(6000, () => someJsonText(next)), (answer) => answer.canonical !== undefined)
  assert.ok(good > 2500 && good < 5900, `${good} of 6000 texts were JSON`)
})

it('accepts and refuses snapshots, nodes and notifies as the Go code does', () => {
  const next = random(Number(process.env.PLAYCTL_TEST_SEED ?? 12))
  const made = texts(3000, () => {
    const text = JSON.stringify(oneOf(next, someSnapshot, someNode, someNotify)(next))
    return next() < 0.95 ? text : damaged(next, text)
  })
  const good = countAgreed(made, (answer) => answer.snapshot !== undefined || answer.node !== undefined || answer.notify)
  assert.ok(good > 1000 && good < 2900, `${good} of 3000 texts were valid`)
})
