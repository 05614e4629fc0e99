import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FakeHost, type ReceivedRequest, silence } from './fake.js'
import { follow } from './follow.js'

describe('a connection attempt', () => {
  for (const hangs of ['/session', '/events']) {
    it(`that hangs at ${hangs} ends when the program reconnects`, async () => {
      const isHanging = ({ route }: ReceivedRequest): boolean => route === hangs
      const host = new FakeHost((received) => (isHanging(received) ? silence(received) : undefined))
      const { states, errors, sub } = follow(host.client())
      const { signal } = await host.requests.until(isHanging)
      const count = host.requests.all.length
      sub.reconnect(true)
      assert.equal(signal?.aborted, true)
      await states.until(({ retryAt }) => retryAt !== undefined)
      assert.match(errors.all[0]?.message ?? '', /made again/u)
      sub.reconnect()
      await host.requests.until(isHanging, count)
      await sub.close()
    })
  }
})
