// Protocol, "Intercom": questions to an agent and its answers, received by those concerned.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { check, is } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { admin, agentOf, headOf, main, newKey, openWorld, register } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const second = await agentOf(host, owner, 2)
const asker = await main(host, 3)
const bystander = await main(host, 4)
granted(await register(host, sid, agent, { toolNames: ['chat_tool', 'assist_sum'] }))

const question = (changes) => ({
  requestId: newKey(),
  mainNodeId: owner.nodeId,
  fromPlayerId: '__human__',
  toPlayerId: agent.nodeId,
  kind: 'chat',
  text: 'hello?',
  ...changes
})
const ask = (payload, as = asker, more) => host.rpc('intercomCommand', payload, { as, sid, key: null, ...more })
const reply = (asked, changes) => ({
  requestId: asked.requestId,
  mainNodeId: asked.mainNodeId,
  toPlayerId: asked.fromPlayerId,
  fromPlayerId: asked.toPlayerId,
  kind: asked.kind,
  status: 'completed',
  ts: new Date().toISOString(),
  ...changes
})
const answer = (payload, as = agent) => host.rpc('intercomResponse', payload, { as, sid, key: null })

const fields = {
  requestId: is.named,
  mainNodeId: is.hex,
  toPlayerId: is.named,
  fromPlayerId: is.named,
  kind: is.oneOf('assist', 'chat', 'realtime'),
  status: is.named,
  ts: is.time,
  'toolName?': is.named,
  'message?': is.text,
  'result?': is.object,
  'error?': is.text,
  'channelKey?': is.named,
  'command?': is.object,
  rev: is.count,
  merkleRootHex: is.hex,
  merkleLeafCount: is.count
}

async function follow(t, as, options) {
  const stream = await openStream(host, { as, sid, ...options })
  t.after(() => stream.close())
  return stream
}

async function nextWithStatus(stream, status) {
  const { data } = await stream.next('world:intercom')
  check(data, fields, 'world:intercom')
  assert.equal(data.status, status)
  return data
}

test('a question is started, forwarded and answered', async (t) => {
  const stream = await follow(t, agent)
  const asked = question()
  const before = await headOf(host)
  granted(await ask(asked), { ok: (v) => v === true })
  for (const status of ['started', 'forwarded']) {
    const data = await nextWithStatus(stream, status)
    assert.deepEqual(
      [data.requestId, data.fromPlayerId, data.toPlayerId, data.kind, data.mainNodeId],
      [asked.requestId, agent.nodeId, '__human__', 'chat', owner.nodeId]
    )
    if (status === 'forwarded') assert.deepEqual(data.command, asked)
    else assert.ok(!('command' in data))
    if ('channelKey' in data)
      assert.match(data.channelKey, new RegExp(`^intercom:human:(${asker.nodeId}|__human__):agent:${agent.nodeId}$`))
  }
  granted(await answer(reply(asked, { status: 'stream', message: 'well' })), { ok: (v) => v === true })
  granted(await answer(reply(asked, { message: 'hello!' })), { ok: (v) => v === true })
  assert.equal((await nextWithStatus(stream, 'stream')).message, 'well')
  const done = await nextWithStatus(stream, 'completed')
  assert.deepEqual([done.message, done.fromPlayerId, done.toPlayerId], ['hello!', agent.nodeId, '__human__'])
  assert.deepEqual(await headOf(host), { rev: before.rev, seq: before.seq + 4 })
  refused(await answer(reply(asked)), 400, 'request_unknown')
})

test('only the audience receives the events, and ids never decrease', async (t) => {
  const { seq } = await headOf(host)
  const audience = await Promise.all([agent, owner, asker, admin].map((as) => follow(t, as)))
  const others = await Promise.all([second, bystander].map((as) => follow(t, as)))
  const asked = question()
  granted(await ask(asked))
  granted(await answer(reply(asked, { status: 'failed', error: 'no idea' })))
  granted(
    await host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'user', text: 'after' }, { as: agent, sid })
  )
  for (const stream of audience) {
    await nextWithStatus(stream, 'started')
    await nextWithStatus(stream, 'forwarded')
    assert.equal((await nextWithStatus(stream, 'failed')).error, 'no idea')
    assert.equal((await stream.next('world:interaction')).id, seq + 4)
  }
  for (const stream of others) assert.equal((await stream.next('world:interaction')).id, seq + 4)
  const replayed = await follow(t, bystander, { lastEventId: seq })
  assert.equal((await replayed.next()).event, 'world:interaction')
  const again = await follow(t, asker, { lastEventId: seq })
  for (const status of ['started', 'forwarded', 'failed']) await nextWithStatus(again, status)
})

test('a request id belongs to one question', async () => {
  const asked = question()
  granted(await ask(asked))
  const { seq } = await headOf(host)
  granted(await ask(asked), { ok: (v) => v === true })
  assert.equal((await headOf(host)).seq, seq)
  refused(await ask(asked, bystander), 403, 'forbidden')
  granted(await answer(reply(asked)))
  const after = (await headOf(host)).seq
  granted(await ask(asked), { ok: (v) => v === true })
  assert.equal((await headOf(host)).seq, after)
})

test('a question with a wrong agent, asker, kind or tool is refused', async () => {
  refused(await ask(question({ toPlayerId: second.nodeId })), 400, 'player_unknown')
  refused(await ask(question({ mainNodeId: asker.nodeId })), 400, 'player_unknown')
  refused(await ask(question({ fromPlayerId: second.nodeId })), 403, 'forbidden')
  refused(await ask(question({ kind: 'assist', toolName: 'assist_never' })), 400, 'tool_unknown')
  refused(await ask(question({ kind: 'assist', text: undefined })), 400, 'body_invalid', 'toolName')
  refused(await ask(question({ text: undefined })), 400, 'body_invalid', 'text')
  refused(await ask(question({ kind: 'shout' })), 400, 'body_invalid', 'kind')
  for (const requestId of ['a b', 'a:b', '', 'r'.repeat(129), undefined, 5])
    refused(await ask(question({ requestId })), 400, 'body_invalid', 'requestId')
  refused(
    await ask(question({ kind: 'assist', toolName: 'assist_sum', args: { a: 'x'.repeat(66_000) } })),
    400,
    'body_invalid',
    'args'
  )
  refused(await ask(question(), {}), 401, 'credentials_missing')
  refused(await ask(question(), asker, { sid: undefined }), 400, 'sid_missing')
})

test('a tool is called with its arguments', async (t) => {
  const stream = await follow(t, agent)
  const asked = question({
    kind: 'assist',
    toolName: 'assist_sum',
    text: undefined,
    args: { a: 1, b: null, c: 'x'.repeat(64_000) }
  })
  granted(await ask(asked))
  await nextWithStatus(stream, 'started')
  const { command, toolName } = await nextWithStatus(stream, 'forwarded')
  assert.deepEqual(command, JSON.parse(JSON.stringify(asked)))
  assert.ok(toolName === undefined || toolName === 'assist_sum')
  granted(await answer(reply(asked, { toolName: 'assist_sum', result: { sum: 3 } })))
  assert.equal((await nextWithStatus(stream, 'completed')).result.sum, 3)
})

test('assist-tool calls a tool as a person', async (t) => {
  const stream = await follow(t, agent)
  const assist = (body) =>
    host.call('POST', '/assist-tool', {
      as: asker,
      sid,
      key: null,
      body: { targetPlayerId: agent.nodeId, toolName: 'assist_sum', args: { n: 1 }, ...body }
    })
  const { requestId } = granted(await assist({}), { ok: (v) => v === true, requestId: is.named })
  await nextWithStatus(stream, 'started')
  const { command, toPlayerId, kind } = await nextWithStatus(stream, 'forwarded')
  assert.deepEqual(
    [command.requestId, toPlayerId, kind, command.toolName, command.args],
    [requestId, '__human__', 'assist', 'assist_sum', { n: 1 }]
  )
  granted(
    await answer({
      requestId,
      mainNodeId: owner.nodeId,
      toPlayerId: '__human__',
      fromPlayerId: agent.nodeId,
      kind: 'assist',
      status: 'completed',
      ts: new Date().toISOString()
    })
  )
  await nextWithStatus(stream, 'completed')
  refused(await assist({ toolName: 'never' }), 400, 'tool_unknown')
  refused(await assist({ targetPlayerId: second.nodeId }), 400, 'player_unknown')
  refused(await assist({ toolName: 5 }), 400, 'body_invalid', 'toolName')
})

test('only the agent and its owner may answer, with a valid status and result', async () => {
  const asked = question()
  granted(await ask(asked))
  refused(await answer(reply(asked), bystander), 403, 'forbidden')
  refused(await answer(reply(asked), second), 403, 'forbidden')
  refused(await answer(reply(asked, { fromPlayerId: second.nodeId }), second), 400, 'request_unknown')
  refused(await answer(reply(asked, { requestId: newKey() })), 400, 'request_unknown')
  refused(await answer(reply(asked, { status: 'failed' })), 400, 'body_invalid', 'error')
  refused(await answer(reply(asked, { status: 'started' })), 400, 'body_invalid', 'status')
  refused(await answer(reply(asked, { result: { a: 'x'.repeat(66_000) } })), 400, 'body_invalid', 'result')
  granted(await answer(reply(asked, { status: 'stream' }), owner))
  granted(await answer(reply(asked, { status: 'stream' }), { ...agent, passwHash: owner.passwHash }))
  granted(await answer(reply(asked)))
})

test('a result is normalized', async (t) => {
  const stream = await follow(t, asker)
  const normalized = async (changes) => {
    const asked = question()
    granted(await ask(asked))
    granted(await answer(reply(asked, changes)))
    await nextWithStatus(stream, 'started')
    await nextWithStatus(stream, 'forwarded')
    return (await nextWithStatus(stream, 'completed')).result
  }
  assert.deepEqual(await normalized({ result: { extra: 1 }, message: 'said' }), {
    extra: 1,
    messageKind: 'text',
    message: 'said'
  })
  assert.deepEqual(await normalized({ result: { messageKind: 'text', message: 'own' }, message: 'said' }), {
    messageKind: 'text',
    message: 'own'
  })
  assert.equal((await normalized({ result: { audio: { url: 'u' } } })).messageKind, 'audio')
  assert.equal((await normalized({ result: { media: { url: 'u' }, messageKind: 'hologram' } })).messageKind, 'media')
  assert.equal((await normalized({ result: { audio: 'no object' }, message: 'm' })).messageKind, 'text')
  assert.equal((await normalized({ result: { messageKind: 'media', audio: {} } })).messageKind, 'media')
})

test('a realtime secret reaches only the live stream of the asker', async (t) => {
  const { seq } = await headOf(host)
  const [live, agents, admins] = await Promise.all([asker, agent, admin].map((as) => follow(t, as)))
  const asked = question({ kind: 'realtime', text: undefined })
  granted(await ask(asked))
  const realtimeWebrtc = { clientSecret: `ephemeral-${newKey()}` }
  granted(await answer(reply(asked, { result: { realtimeWebrtc, model: 'm' } })))
  const last = async (stream) => {
    await nextWithStatus(stream, 'started')
    await nextWithStatus(stream, 'forwarded')
    return (await nextWithStatus(stream, 'completed')).result
  }
  assert.deepEqual((await last(live)).realtimeWebrtc, realtimeWebrtc)
  const replayed = await follow(t, asker, { lastEventId: seq })
  for (const stream of [agents, admins, replayed]) {
    const result = await last(stream)
    assert.equal(result.model, 'm')
    assert.ok(!('realtimeWebrtc' in result))
    assert.ok(!stream.raw.includes(realtimeWebrtc.clientSecret))
  }
  assert.ok(!host.log.includes(realtimeWebrtc.clientSecret))
})

test('an open question survives a restart', async (t) => {
  const asked = question()
  granted(await ask(asked))
  await host.kill()
  await host.start()
  granted(await ask(asked), { ok: (v) => v === true })
  const stream = await follow(t, asker)
  granted(await answer(reply(asked, { message: 'late' })))
  assert.equal((await nextWithStatus(stream, 'completed')).message, 'late')
})
