import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient, noRetry } from '@playctl/sdk'
import { Follower, type Renewal } from './follower.js'

/** Returns the number of requests to a host that refuses, before time advances, if asking for access has this result. */
async function countRequests(renewal: Renewal): Promise<number> {
  let requests = 0
  const fetch = (): Promise<Response> => {
    requests += 1
    return Promise.resolve(Response.json({ error: { code: 'credentials_invalid', message: 'no' } }, { status: 401 }))
  }
  const client = createClient({ baseUrl: 'http://host.test', fetch, retry: noRetry, credentials: { cookie: true } })
  const nothing = (): void => undefined
  let refusals = 0
  const follower = new Follower(client, 0, {
    onBefore: nothing, onEvent: nothing, onWorld: nothing, onVerification: nothing, onPast: nothing, onProved: nothing, onLink: nothing, onWentBack: nothing,
    // Without the end after three refusals, immediate retries would never end.
    onRefused: () => Promise.resolve(++refusals > 3 ? 'ended' : renewal),
  })
  const ended = follower.run()
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => { setImmediate(resolve) })
  follower.close()
  await ended
  return requests
}

describe('a refused follower', () => {
  it('retries immediately with new access, and waits if the state of access is unknown', async () => {
    assert.equal(await countRequests('ended'), 1)
    assert.equal(await countRequests('unknown'), 1)
    assert.equal(await countRequests('renewed'), 4)
  })
})
