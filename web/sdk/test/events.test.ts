import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GapError } from '../src/index.js'
import { FakeHost } from './fake.js'
import { Reports } from './host.js'

describe('events', () => {
  for (const name of ['events', 'subscribeEvents'] as const) {
    it(`of ${name} are reported missing after a reconnection to a host that numbers none`, async () => {
      const fake: FakeHost = new FakeHost((received) => (received.route === '/events' ? fake.stream(received, 'retry: 0\n\n:\n\n') : undefined))
      await using world = fake.world()
      const seen = new Reports<string>()
      const onError = (error: Error): void => { seen.add(error instanceof GapError ? 'gap' : error.message) }
      const following = name === 'events'
        ? (async () => { for await (const { kind } of world.events({ onError })) seen.add(kind) })()
        : (await world.subscribeEvents({ onError, onEvent: ({ kind }) => { seen.add(kind) } })).done
      const kind = 'world:space_changed'
      for (const [i, wanted] of [[kind], ['gap', kind]].entries()) {
        await fake.requests.until(() => fake.requests.all.filter(({ route }) => route === '/events').length > i)
        fake.send(`event: ${kind}\ndata: {"spaceId":"s","action":"created"}\n\n`)
        await seen.until((one) => one === kind, i)
        assert.deepEqual(seen.all.slice(i), wanted)
        for (const stream of fake.streams) stream.close()
        fake.streams.clear()
      }
      await world.close()
      await following
    })
  }
})
