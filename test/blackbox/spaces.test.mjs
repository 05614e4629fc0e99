// Protocol, "Spaces": spaces, their nodes and their structures.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, keepSecret, refused } from './lib/client.mjs'
import { hashPhrase, nodeIdOf, normalize } from './lib/credentials.mjs'
import { accounts, rootKey } from './lib/host.mjs'
import { is, readRow, readSnapshot, readSpace } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { Subscriber } from './lib/subscriber.mjs'
import { admin, main, newKey, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const other = await main(host, 2)
granted(await register(host, sid, agent))

const rpc = (op, payload, as = owner, more) => host.rpc(op, payload, { as, sid, ...more })
const make = (changes, as, more) =>
  rpc('createSpace', { name: 'Corner', designKey: 'plain', ownerDisplayName: 'Ada', ...changes }, as, {
    reveals: true,
    ...more
  })
const put = (changes, as) =>
  rpc(
    'registerSpaceNode',
    { name: 'Bare', designKey: 'plain', owner: { displayName: 'Ada' }, amenities: ['shop'], ...changes },
    as
  )
const all = async () => granted(await host.rpc('listSpaceNodes', {}, { as: agent })).spaces
const created = { spaceId: is.named, nodeId: is.hex, phrase: is.named, structure: is.object }

async function follow(t) {
  const stream = await openStream(host, { as: other, sid })
  t.after(() => stream.close())
  return stream
}

test('createSpace is one change: the space, its structure and its node', async (t) => {
  const stream = await follow(t)
  const before = await snapshotOf(host, owner)
  const reply = granted(
    await make({ description: 'on the corner', structureName: 'House', amenities: ['supermarket', 'shop'] }),
    created
  )
  keepSecret(reply.phrase)
  const { event, data } = await stream.next()
  assert.equal(event, 'world:space_changed')
  assert.deepEqual([data.spaceId, data.action, data.rev], [reply.spaceId, 'created', before.rev + 1])
  assert.deepEqual(
    data.playerChainNotify.nodes.map((ref) => ref.stableKey),
    [`structure:${reply.structure.id}`, `space:${reply.spaceId}`]
  )
  const after = readSnapshot(await snapshotOf(host, owner))
  assert.equal(after.rev, before.rev + 1)
  const structure = readRow(after.worldMap.occupants.find((row) => row.kind === 'structure'))
  assert.deepEqual(structure, reply.structure)
  assert.deepEqual([structure.name, structure.spaceIds], ['House', [reply.spaceId]])
  const space = readSpace(after.spaces[0])
  assert.deepEqual(
    [space.name, space.description, space.designKey, space.owner, space.amenities],
    ['Corner', 'on the corner', 'plain', { displayName: 'Ada', nodeId: reply.nodeId }, ['supermarket', 'shop']]
  )
})

test('the phrase of a space is ten words, and its node is derived from it', async () => {
  const { nodeId, phrase, spaceId } = granted(await make({ name: 'Keyed' }), created)
  keepSecret(phrase)
  assert.equal(phrase.split(' ').length, 10)
  assert.equal(normalize(phrase), phrase)
  const passwHash = hashPhrase(phrase)
  keepSecret(passwHash)
  assert.equal(await nodeIdOf(passwHash, rootKey), nodeId)
  const node = { nodeId, passwHash }
  const valid = granted(await host.call('POST', '/api/nodes/validate', { as: node, body: {} }), {
    ok: (v) => v === true,
    nodeKind: is.oneOf('space')
  })
  assert.equal(valid.nodeKind, 'space')
  granted(await rpc('addSpaceAmenity', { spaceId, kind: 'car_wash' }, node))
  granted(await rpc('removeSpaceAmenity', { spaceId, kind: 'shop' }, node))
  refused(await make({}, node), 403, 'forbidden')
  refused(await rpc('removeSpace', { spaceId }, node), 403, 'forbidden')
  granted(await host.call('GET', '/snapshot', { as: node, sid }))
  const session = (key) => host.call('GET', '/session', { as: node, key })
  granted(await session(owner.apiKey))
  refused(await session(other.apiKey), 401, 'api_key_invalid')
})

test('a space is a shop by default', async () => {
  const { spaceId } = granted(await make({ name: 'Plain' }), created)
  const { space } = granted(await host.rpc('inspectSpace', { spaceId }, { as: agent }))
  assert.deepEqual([space.amenities, space.description], [['shop'], ''])
})

test('only a main node may create spaces, with known amenities', async () => {
  refused(await make({}, agent), 403, 'forbidden')
  refused(await put({}, agent), 403, 'forbidden')
  refused(await make({}, admin), 403, 'forbidden')
  refused(await make({ amenities: ['zoo'] }), 400, 'body_invalid', 'amenities')
  refused(await make({ name: undefined }), 400, 'body_invalid', 'name')
  refused(await make({ name: 'n'.repeat(201) }), 400, 'body_invalid', 'name')
  refused(await make({ designKey: undefined }), 400, 'body_invalid', 'designKey')
  refused(await make({ ownerDisplayName: undefined }), 400, 'body_invalid', 'ownerDisplayName')
  refused(await put({ amenities: [] }), 400, 'body_invalid', 'amenities')
  refused(await put({ owner: 'Ada' }), 400, 'body_invalid', 'owner')
  for (const id of ['a b', 'a:b', '', 'i'.repeat(129)]) refused(await put({ id }), 400, 'body_invalid', 'id')
})

test('registerSpaceNode creates only a space, with the given id', async (t) => {
  const stream = await follow(t)
  const { space } = granted(
    await put({
      id: 'my-space',
      description: 'd',
      owner: { displayName: 'Bob', playerId: agent.nodeId },
      amenities: ['car_wash']
    }),
    { space: is.object }
  )
  assert.deepEqual(readSpace(space), {
    id: 'my-space',
    name: 'Bare',
    description: 'd',
    designKey: 'plain',
    owner: { displayName: 'Bob', playerId: agent.nodeId, nodeId: owner.nodeId },
    amenities: ['car_wash']
  })
  const { data } = await stream.next('world:space_changed')
  assert.deepEqual([data.spaceId, data.action], ['my-space', 'created'])
  assert.deepEqual(
    data.playerChainNotify.nodes.map((ref) => ref.stableKey),
    ['space:my-space']
  )
  refused(await put({ id: 'my-space' }, other), 409, 'space_exists')
  const listed = (await all()).find((entry) => entry.id === 'my-space')
  assert.deepEqual(listed, space)
})

test('the creator of a space adds a node to it', async (t) => {
  const stream = await follow(t)
  const create = (body, as = owner, more) =>
    host.call('POST', '/api/nodes', {
      as,
      body: { kind: 'space', spaceId: 'my-space', ...body },
      reveals: true,
      ...more
    })
  refused(await create({}, other), 403, 'forbidden')
  refused(await create({}, agent), 403, 'forbidden')
  refused(await create({ spaceId: 'never' }), 404, 'space_unknown')
  const { nodeId, phrase } = granted(await create({}), { nodeId: is.hex, phrase: is.named })
  keepSecret(phrase)
  const node = { nodeId, passwHash: hashPhrase(phrase) }
  const { data } = await stream.next('world:space_changed')
  assert.deepEqual([data.spaceId, data.action], ['my-space', 'changed'])
  const { space } = granted(await host.rpc('inspectSpace', { spaceId: 'my-space' }, { as: node }))
  assert.equal(space.owner.nodeId, nodeId)
  const { nodeId: listed } =
    granted(await host.call('GET', '/api/nodes', { as: admin, query: { all: 'true' } })).spaceNodes.find(
      (entry) => entry.nodeId === nodeId
    ) ?? {}
  assert.equal(listed, nodeId)
})

test('the creator of a space adds a node from a hash', async () => {
  granted(await put({ id: 'hashed' }))
  const { nodeId, passwHash } = accounts[3]
  const body = { kind: 'space', spaceId: 'hashed', passwHash }
  granted(await host.call('POST', '/api/nodes', { as: owner, body, reveals: true }), { nodeId: (v) => v === nodeId })
  granted(await host.call('GET', '/snapshot', { as: { nodeId, passwHash }, sid }))
  const question = {
    requestId: newKey(),
    mainNodeId: owner.nodeId,
    fromPlayerId: '__space',
    toPlayerId: agent.nodeId,
    kind: 'chat',
    text: 'open?'
  }
  granted(await host.rpc('intercomCommand', question, { as: { nodeId, passwHash }, sid }))
  refused(await host.call('GET', '/api/nodes', { as: { nodeId, passwHash } }), 403, 'forbidden')
})

test('amenities are added and removed, except the last one', async (t) => {
  const stream = await follow(t)
  const change = (op, kind, as) => rpc(op, { spaceId: 'my-space', kind }, as)
  const { space } = granted(await change('addSpaceAmenity', 'shop'), { space: (v) => readSpace(v) })
  assert.deepEqual([...space.amenities].sort(), ['car_wash', 'shop'])
  assert.deepEqual((await stream.next('world:space_changed')).data.action, 'changed')
  refused(await change('addSpaceAmenity', 'shop'), 409, 'amenity_exists')
  refused(await change('addSpaceAmenity', 'zoo'), 400, 'body_invalid', 'kind')
  refused(await change('addSpaceAmenity', 'supermarket', other), 403, 'forbidden')
  refused(await change('addSpaceAmenity', 'supermarket', agent), 403, 'forbidden')
  refused(await rpc('addSpaceAmenity', { spaceId: 'never', kind: 'shop' }), 404, 'space_unknown')
  const less = granted(await change('removeSpaceAmenity', 'car_wash'), { space: (v) => readSpace(v) })
  assert.deepEqual(less.space.amenities, ['shop'])
  refused(await change('removeSpaceAmenity', 'shop'), 400, 'amenity_last')
})

test('only the audience may read the log of a space', async () => {
  const inspect = async (as) => granted(await host.rpc('inspectSpace', { spaceId: 'my-space' }, { as }))
  for (const as of [owner, admin]) assert.ok(Array.isArray((await inspect(as)).log))
  for (const as of [agent, other]) assert.ok(!('log' in (await inspect(as))))
  refused(await host.rpc('inspectSpace', { spaceId: 'never' }, { as: owner }), 404, 'space_unknown')
})

test('a space is removed with its structure and its node in one change', async (t) => {
  const { spaceId, structure, nodeId, phrase } = granted(await make({ name: 'Going' }), created)
  keepSecret(phrase)
  const stream = await follow(t)
  const { rev } = await snapshotOf(host, owner)
  refused(await rpc('removeSpace', { spaceId }, other), 403, 'forbidden')
  granted(await rpc('removeSpace', { spaceId }), { ok: (v) => v === true })
  const { data } = await stream.next('world:space_changed')
  assert.deepEqual([data.spaceId, data.action, data.rev], [spaceId, 'removed', rev + 1])
  assert.deepEqual(
    new Set(data.playerChainNotify.nodes.map((ref) => ref.stableKey)),
    new Set([`structure:${structure.id}`, `space:${spaceId}`])
  )
  assert.ok(data.playerChainNotify.nodes.every((ref) => ref.removed))
  refused(
    await host.call('POST', '/api/nodes/validate', { as: { nodeId, passwHash: hashPhrase(phrase) }, body: {} }),
    401,
    'credentials_invalid'
  )
  refused(await host.rpc('inspectSpace', { spaceId }, { as: owner }), 404, 'space_unknown')
  refused(await rpc('removeSpace', { spaceId }), 404, 'space_unknown')
  readSnapshot(await snapshotOf(host, owner))
})

test('the administrator removes a structure, and its space stays', async (t) => {
  const { spaceId, structure, phrase } = granted(await make({ name: 'Roofless' }), created)
  keepSecret(phrase)
  const subscriber = await new Subscriber(host, owner, 'inline').open(sid)
  t.after(() => subscriber.close())
  granted(
    await host.call('POST', '/occupants/remove', { as: admin, sid, body: { stableKey: `structure:${structure.id}` } }),
    { ok: (v) => v === true }
  )
  const { data } = await subscriber.follow((event) => event.data.playerChainNotify)
  assert.deepEqual(
    data.playerChainNotify.nodes.map((ref) => [ref.stableKey, ref.removed]).filter(([, removed]) => removed),
    [[`structure:${structure.id}`, true]]
  )
  assert.ok((await all()).some((space) => space.id === spaceId))
})

test('the administrator removes any space', async () => {
  granted(await rpc('removeSpace', { spaceId: 'my-space' }, admin), { ok: (v) => v === true })
})

test('the retry of createSpace returns the same phrase', async () => {
  const idempotency = newKey()
  const first = granted(await make({ name: 'Once' }, owner, { idempotency }), created)
  keepSecret(first.phrase)
  assert.deepEqual(granted(await make({ name: 'Once' }, owner, { idempotency })), first)
  assert.equal((await all()).filter((space) => space.name === 'Once').length, 1)
})

test('a subscriber follows spaces, verified, until their creator is deleted', async (t) => {
  const kinds = ['inline', 'batch', 'oneByOne']
  const subscribers = await Promise.all(kinds.map((kind) => new Subscriber(host, owner, kind).open(sid)))
  t.after(() => subscribers.forEach((subscriber) => subscriber.close()))
  for (const name of ['a', 'b']) keepSecret(granted(await make({ name }, other)).phrase)
  granted(await put({ id: 'theirs' }, other))
  granted(await rpc('addSpaceAmenity', { spaceId: 'theirs', kind: 'supermarket' }, other))
  granted(await host.call('DELETE', '/api/nodes', { as: other, body: { confirmNodeId: other.nodeId } }))
  const gone = (event) => event.data.kind === 'metadata'
  await Promise.all(subscribers.map((subscriber) => subscriber.follow(gone)))
  const snapshot = readSnapshot(await snapshotOf(host, owner))
  for (const subscriber of subscribers) {
    assert.deepEqual(subscriber.snapshot.spaces, snapshot.spaces)
    assert.deepEqual(subscriber.snapshot.worldMap, snapshot.worldMap)
  }
  assert.ok(!snapshot.spaces.some((space) => ['a', 'b', 'theirs'].includes(space.name) || space.id === 'theirs'))
})
