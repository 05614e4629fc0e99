import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ClosedError, TimeoutError } from '../src/index.js'
import { FakeHost, chats, silence, turns } from './fake.js'

describe('a world that is closing', () => {
  it('waits at most three seconds for an answer that is being sent', async (test) => {
    const host = new FakeHost((received) => (received.route === 'intercomResponse' ? silence(received) : undefined))
    const errors: Error[] = []
    const world = host.world()
    await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
    const commands = await world.subscribeIntercomCommands({ execute: () => 'done', onError: (error) => { errors.push(error) } })
    await commands.ready
    host.ask('ada')
    const { signal } = await host.requests.until(({ route }) => route === 'intercomResponse')
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const closed = world.close()
    await turns()
    test.mock.timers.tick(3000)
    await turns()
    assert.ok(signal?.aborted)
    await closed
    assert.ok(errors.length === 1 && errors[0] instanceof TimeoutError)
  })

  it('does not abort an answer that is being sent when its command times out', async (test) => {
    let answer: ((response: Response) => void) | undefined
    const host = new FakeHost(({ route }) => (route === 'intercomResponse' ? new Promise((resolve) => { answer = resolve }) : undefined))
    await using world = host.world()
    await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const commands = await world.subscribeIntercomCommands({ execute: () => 'done', timeoutMs: 500, onError: () => undefined })
    await commands.ready
    host.ask('ada')
    const { signal } = await host.requests.until(({ route }) => route === 'intercomResponse')
    test.mock.timers.tick(500)
    test.mock.timers.tick(3000)
    await turns()
    assert.equal(signal?.aborted, false)
    answer?.(Response.json({ ok: true }))
  })

  it('ends calls that start meanwhile', async () => {
    const host = new FakeHost()
    const mainNodeCredentials = { nodeId: 'a'.repeat(64), passwHash: 'b'.repeat(64) }
    for (let turn = 0; turn < 12; turn++) {
      const world = host.world({ mainNodeCredentials })
      const calls = [
        world.subscribeEvents({ onEvent: () => undefined, onError: () => undefined }),
        world.subscribeWorldState({ onError: () => undefined }),
        world.subscribeIntercomCommands({ execute: () => '', onError: () => undefined }),
      ]
      const agent = world.agent('Ada', { credentials: { nodeId: 'd'.repeat(64), passwHash: 'b'.repeat(64) } })
      for (let i = 0; i < turn; i++) await Promise.resolve()
      await world.close()
      for (const result of await Promise.allSettled(calls)) {
        if (result.status === 'rejected') assert.ok(result.reason instanceof ClosedError)
        else await result.value.done
      }
      await assert.rejects(agent, ClosedError)
      await turns()
      assert.equal(host.streams.size, 0)
    }
  })
})
