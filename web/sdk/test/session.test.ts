import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FakeHost } from './fake.js'

describe('a call that finds a new session', () => {
  it('continues if the onSession function of the program fails', async () => {
    const sids = ['first', 'second']
    const host = new FakeHost(({ route }) => (route === '/session' ? Response.json({ sid: sids.shift(), capabilities: [] }) : undefined))
    const called: string[] = []
    const client = host.client({
      onSession: (sid) => {
        called.push(sid)
        throw new Error('the function fails')
      },
    })
    await client.session()
    assert.equal((await client.session()).sid, 'second')
    assert.deepEqual(called, ['second'])
  })
})
