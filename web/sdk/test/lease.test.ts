import assert from 'node:assert/strict'
import { type TestContext, describe, it } from 'node:test'
import { FakeHost, type ReceivedRequest, chats, silence, turns } from './fake.js'

/** Advances the mocked time in steps, and after each step lets everything continue that waits for no timer. */
async function advance(test: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    test.mock.timers.tick(100)
    await turns(5)
  }
}

const isRoute = (wanted: string) => ({ route }: ReceivedRequest): boolean => route === wanted

describe('the lease of an agent', () => {
  it('is kept if the host is unavailable when its session ends', async (test) => {
    let away = false
    const host = new FakeHost(({ route }) => {
      if (away && route === '/session') return Promise.reject(new TypeError('fetch failed'))
      return away ? Response.json({ error: 'over', code: 'sid_invalid' }, { status: 403 }) : undefined
    })
    const lost: Error[] = []
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const world = host.world()
    await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats, onLost: (error) => { lost.push(error) } })
    away = true
    await advance(test, 60_000)
    away = false
    const before = host.requests.all.length
    await advance(test, 60_000)
    assert.deepEqual(lost, [])
    assert.ok(host.requests.all.slice(before).some(isRoute('/players/heartbeat')))
    await world.close()
  })

  it('is renewed in time after a heartbeat without an answer', async (test) => {
    let heartbeats = 0
    const host = new FakeHost((received) => {
      if (received.route === '/players') return Response.json({ playerId: received.payload.agentId, registeredAgent: {}, leaseTtlSeconds: 15 })
      return received.route === '/players/heartbeat' && ++heartbeats === 1 ? silence(received) : undefined
    })
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const world = host.world()
    await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
    await advance(test, 14_000)
    assert.equal(heartbeats, 2)
    await world.close()
  })

  for (const leaseTtlSeconds of [0, -1, 'soon', null, 0.001]) {
    it(`is renewed by few heartbeats even if the host grants ${String(leaseTtlSeconds)} s`, async (test) => {
      const host = new FakeHost(({ route, payload }) => {
        if (route === '/players') return Response.json({ playerId: payload.agentId, registeredAgent: {}, leaseTtlSeconds })
        return route === '/players/heartbeat' ? Response.json({ ok: true, leaseTtlSeconds }) : undefined
      })
      test.mock.timers.enable({ apis: ['setTimeout'] })
      const world = host.world()
      await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
      await advance(test, 20_000)
      const heartbeats = host.requests.all.filter(isRoute('/players/heartbeat')).length
      assert.ok(heartbeats > 0 && heartbeats <= 60, `${heartbeats} heartbeats in 20 s`)
      await world.close()
    })
  }
})

describe('an MCP placement', () => {
  it('does not come back if it is removed while it registers again', async () => {
    let sid = 's'
    let registered = (): void => undefined
    const host = new FakeHost(async ({ route }) => {
      if (route === '/session') return Response.json({ sid, capabilities: [] })
      if (route !== '/mcp/register' || sid === 's') return Response.json({ ok: true, id: 'old' })
      return new Promise((resolve) => { registered = () => { resolve(Response.json({ id: 'new' })) } })
    })
    const world = host.world()
    await world.registerMcp({ name: 'tools' })
    sid = 't'
    await world.connect()
    await turns()
    await world.unregisterMcp('old')
    registered()
    await turns()
    assert.deepEqual(host.requests.all.filter(isRoute('/mcp/unregister')).map(({ payload }) => payload.id), ['old', 'new'])
    await world.close()
  })
})
