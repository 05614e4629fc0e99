import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkOccupant, checkSpace } from '../src/chain/row.js'
import { type Json, type JsonObject, eventKinds, eventSubject, readEvent, readOccupant, readSpace } from '../src/index.js'
import { type Field, eventShapes, rowShapes, shapes } from '../src/protocol/contract.js'
import { lackOf, readShape } from '../src/protocol/read.js'
import { type Random, below, oneOf, random, someJson, someText } from './random.js'

const fieldsOf = (shape: string): readonly Field[] => shapes[shape as keyof typeof shapes]

/** Returns a valid value of a field. */
function validValue(next: Random, { type, of, words }: Field): Json {
  const text = () => (words === undefined ? `t${someText(next)}` : oneOf(next, ...words))
  const object = (): JsonObject => (of === undefined ? { [someText(next)]: 1 } : validObject(next, of))
  switch (type) {
    case 'text': return text()
    case 'number': return below(next, 100)
    case 'boolean': return next() < 0.5
    case 'texts': return Array.from({ length: below(next, 3) }, text)
    case 'objects': return Array.from({ length: below(next, 3) }, object)
    case 'json':
    case 'object': return object()
  }
}

/** Returns an object with all fields of a shape. */
function validObject(next: Random, shape: string): JsonObject {
  const kind = Object.entries(rowShapes).find(([, name]) => name === shape)?.[0]
  return { ...(kind === undefined ? {} : { kind }), ...Object.fromEntries(fieldsOf(shape).map((field) => [field.name, validValue(next, field)])) }
}

/** Reports whether every field that a shape names has its type, and there is no other field. */
function hasTypes(shape: string, object: JsonObject): boolean {
  const fields = fieldsOf(shape)
  return Object.keys(object).every((name) => name === 'kind' || fields.some((field) => field.name === name)) && fields.every((field) => {
    const value = object[field.name]
    if (value === undefined) return field.need === 'optional'
    const each = (check: (item: Json) => boolean) => Array.isArray(value) && (value as Json[]).every(check)
    const inner = (item: Json) => typeof item === 'object' && item !== null && !Array.isArray(item) && (field.of === undefined || hasTypes(field.of, item as JsonObject))
    switch (field.type) {
      case 'text': return typeof value === 'string'
      case 'number': return Number.isFinite(value)
      case 'boolean': return typeof value === 'boolean'
      case 'texts': return each((item) => typeof item === 'string')
      case 'objects': return each(inner)
      case 'object': return inner(value)
      case 'json': return true
    }
  })
}

describe('a reply of a host', () => {
  const next = random(Number(process.env.PLAYCTL_TEST_SEED ?? 15))

  it('is read unchanged if it is complete, without its unknown fields', () => {
    for (const shape of Object.keys(shapes)) {
      for (let i = 0; i < 20; i++) {
        const object = validObject(next, shape)
        assert.deepEqual(readShape(shape, { ...object, 'a field of tomorrow': someJson(next) }), object)
        assert.equal(lackOf(shape, object), undefined)
      }
    }
  })

  it('has the right type in every field if some are malformed', () => {
    for (const shape of Object.keys(shapes)) {
      for (let i = 0; i < 100; i++) {
        const object: Record<string, Json> = { ...validObject(next, shape) }
        for (const name of Object.keys(object)) if (next() < 0.3) object[name] = someJson(next)
        const read = readShape(shape, object)
        assert.ok(hasTypes(shape, read), `${shape} ${JSON.stringify(object)}`)
        assert.deepEqual(readShape(shape, read), read, 'reading the result again changed it')
      }
    }
    for (const value of [undefined, null, 7, 'agent', [], {}, { kind: 'toString' }]) {
      assert.equal(readOccupant(value), undefined)
      assert.equal(readSpace(value) === undefined, typeof value !== 'object' || value === null || Array.isArray(value))
    }
  })

  it('is refused with the name of the missing field', () => {
    const agent = { kind: 'agent', nodeId: 'n', agentId: 'a', name: '', x: 0, y: 0 }
    assert.equal(checkOccupant(agent), agent)
    assert.throws(() => checkOccupant({ ...agent, agentId: '' }), /agentId must be a non-empty string/u)
    assert.throws(() => checkOccupant({ ...agent, x: '0' }), /x must be a number/u)
    assert.throws(() => checkOccupant({ ...agent, kind: 'cloud' }), /one of agent, mcp, human, structure/u)
    const space = { id: 's', name: '', designKey: '', owner: { displayName: '' }, amenities: [] }
    assert.equal(checkSpace(space), space)
    assert.throws(() => checkSpace({ ...space, owner: {} }), /owner\.displayName must be a string/u)
    assert.throws(() => checkSpace({ ...space, amenities: ['zoo'] }), /amenities must be a list of strings of shop/u)
  })

  it('is an event of a known kind, or undefined', () => {
    for (const kind of eventKinds) assert.deepEqual(readEvent({ kind, data: {} }), { kind, data: readShape(eventShapes[kind], {}) })
    assert.equal(readEvent({ kind: 'world:tomorrow', data: {} }), undefined)
  })

  it('has the subject of an event', () => {
    for (const [data, want] of [
      [{ player: { agentId: 'a' } }, 'a'], [{ playerId: 'a', kind: 'chat', data: { fromPlayerId: 'b' } }, 'a'], [{ person: { id: 'p' } }, 'p'],
      [{ personId: 'p' }, 'p'], [{ mcp: { id: 'm' } }, 'm'], [{ id: 'm' }, 'm'], [{ spaceId: 's' }, 's'], [{ toPlayerId: 'b', fromPlayerId: 'a' }, 'a'],
      [{ reason: 'admin', sid: 's' }, ''], [{ playerId: 1, player: 'a', person: null }, ''],
    ] satisfies [JsonObject, string][]) assert.equal(eventSubject({ kind: 'world:tomorrow', data }), want, JSON.stringify(data))
  })
})
