import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ClosedError, RemotePlayWorld, UnreachableError, noRetry } from '../src/index.js'
import { chats } from './fake.js'
import { Host, Reports } from './host.js'

describe('a registration that fails after the host has accepted it', () => {
  let host: Host
  /** The status of each reply to a registration; `meanwhile` runs before the reply is passed on. */
  const registered = new Reports<number>()
  let meanwhile: ((signal: AbortSignal) => Promise<void>) | undefined
  const ada = { name: 'Ada', nodeId: 'ada', agent: chats }
  const open = () => new RemotePlayWorld({
    baseUrl: host.url, apiKey: 'none', retry: noRetry,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (new URL(input instanceof Request ? input.url : input).pathname.endsWith('/players')) {
        registered.add(response.status)
        if (init?.signal) await meanwhile?.(init.signal)
      }
      return response
    },
  })
  const onMap = async () => (await host.admin().snapshot()).worldMap.occupants.filter(({ kind }) => kind === 'agent').map(({ name }) => name)
  before(async () => { host = await Host.start('--no-repository') })
  after(async () => { await host.end() })

  it('leaves no agent on the map if its signal is aborted', async () => {
    await using world = open()
    const ending = new AbortController()
    meanwhile = (signal) => {
      ending.abort(new Error('never mind'))
      return Promise.reject(signal.reason as Error)
    }
    await assert.rejects(world.addAgent(ada, { signal: ending.signal }), /never mind/u)
    assert.deepEqual([registered.all.at(-1), await onMap()], [200, []])
  })

  it('leaves no agent on the map if the reply is lost', async () => {
    await using world = open()
    meanwhile = () => Promise.reject(new TypeError('fetch failed'))
    await assert.rejects(world.addAgent(ada), UnreachableError)
    assert.deepEqual([registered.all.at(-1), await onMap()], [200, []])
  })

  it('leaves no agent on the map if the world is closed, which waits for the removal', async () => {
    const world = open()
    let closed: Promise<void> | undefined
    meanwhile = (signal) => new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => { reject(signal.reason as Error) })
      closed = world.close()
    })
    const refused = assert.rejects(world.addAgent(ada), ClosedError)
    await registered.until(() => closed !== undefined, registered.all.length)
    await closed
    assert.deepEqual(await onMap(), [])
    await refused
  })

  it('keeps the agent that the world had before', async () => {
    await using world = open()
    meanwhile = undefined
    const agent = await world.addAgent(ada)
    meanwhile = () => {
      meanwhile = undefined
      return Promise.reject(new TypeError('fetch failed'))
    }
    const renewed = registered.all.length + 1
    await assert.rejects(world.addAgent({ ...ada, name: 'Ada again' }), UnreachableError)
    await registered.until(() => true, renewed)
    assert.deepEqual(await onMap(), ['Ada'])
    await agent.disconnect()
    assert.deepEqual(await onMap(), [])
  })
})
