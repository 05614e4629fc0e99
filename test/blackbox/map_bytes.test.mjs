// Protocol, "Requests, errors and limits": how many bytes one account, and all together, may have on the map.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { admin, headOf, main, openWorld, register } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld('--max-map-bytes', '9000', '--max-total-map-bytes', '12000')
const other = await main(host, 3)
granted(await register(host, sid, agent))

const space = (as, length, more) => {
  const plain = { name: 'Bare', designKey: 'plain', owner: { displayName: 'Ada' }, amenities: ['shop'] }
  return host.rpc('registerSpaceNode', { ...plain, description: 'x'.repeat(length), ...more }, { as, sid })
}
const used = async (as) => {
  const { mainNodes } = granted(await host.call('GET', '/api/nodes', { as: admin, query: { all: true, usage: true } }))
  return mainNodes.find(({ nodeId }) => nodeId === as.nodeId).usage.mapBytes
}

test('a space or placement beyond the byte limit is refused, and removal frees bytes', async () => {
  const before = await used(owner)
  const first = granted(await space(owner, 4000)).space
  assert.ok((await used(owner)) > before + 4000)
  granted(await space(owner, 3000))
  const head = await headOf(host)
  refused(await space(owner, 2000), 400, 'storage_limit', ' 9000 bytes on the map ')
  const body = { name: 'A', url: `https://a.example/${'x'.repeat(2000)}` }
  refused(await host.call('POST', '/mcp/register', { as: owner, sid, body }), 400, 'storage_limit', ' 9000 ')
  assert.deepEqual(await headOf(host), head)
  granted(await space(other, 2000))
  refused(await space(other, 3000), 400, 'storage_limit', ' 12000 ')
  await host.kill()
  await host.start()
  refused(await space(owner, 2000), 400, 'storage_limit', ' 9000 ')
  granted(await host.rpc('removeSpace', { spaceId: first.id }, { as: owner, sid }))
  granted(await space(owner, 3000))
})

test('an account may have its own byte limit', async () => {
  refused(await space(owner, 4000), 400, 'storage_limit', ' 9000 ')
  const limits = { mapBytes: 0 }
  granted(await host.call('POST', '/api/nodes/limits', { as: admin, body: { nodeId: owner.nodeId, limits } }))
  refused(await space(owner, 4000), 400, 'storage_limit', ' 12000 ')
})
