// Protocol, "Credentials": phrases, hashes and ids, against the known answers and the host.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { hashPhrase, identity, nodeIdOf, normalize, rootKeyOf } from './lib/credentials.mjs'
import { granted, refused } from './lib/client.mjs'
import { accounts, rootKey, startHost } from './lib/host.mjs'
import { main } from './lib/world.mjs'

const known = JSON.parse(readFileSync(new URL('../../internal/creds/testdata/credentials.json', import.meta.url)))

for (const { label, phrase, normalised, passwHash, nodeIds } of known.phrases) {
  test(`derive a node id from a phrase: ${label}`, async () => {
    assert.equal(normalize(phrase), normalised)
    assert.equal(hashPhrase(phrase), passwHash)
    assert.deepEqual(await Promise.all(known.rootKeys.map((key) => nodeIdOf(passwHash, key))), nodeIds)
  })
}

test('derive a root key from a secret', async () => {
  for (const { secretHex, rootKey } of known.rootKeyFromSecret) {
    assert.equal(await rootKeyOf(Buffer.from(secretHex, 'hex')), rootKey)
  }
})

test('the host accepts only ids that this client derived', async (t) => {
  const host = await startHost()
  const mine = await identity('one two three four five six seven eight nine ten', rootKey)
  const create = (body) => host.call('POST', '/api/nodes', { body, reveals: true })

  await t.test('an id of another hash', async () => {
    refused(
      await create({ kind: 'main', nodeId: mine.nodeId, passwHash: accounts[0].passwHash }),
      400,
      'node_not_derivable'
    )
  })
  await t.test('an id of another root key', async () => {
    refused(
      await create({ nodeId: known.phrases[0].nodeIds[1], passwHash: accounts[0].passwHash }),
      400,
      'node_not_derivable'
    )
  })
  for (const [what, passwHash] of [
    ['upper case', mine.passwHash.toUpperCase()],
    ['short', mine.passwHash.slice(1)],
    ['long', `${mine.passwHash}0`],
    ['no hex', 'g'.repeat(64)]
  ]) {
    await t.test(`a hash that is not 64 lower-case hex digits: ${what}`, async () => {
      refused(await create({ kind: 'main', nodeId: mine.nodeId, passwHash }), 400, 'body_invalid', 'passwHash')
    })
  }
  await t.test('the derived pair, without a kind', async () => {
    const { nodeId, apiKey } = granted(await create(mine))
    assert.equal(nodeId, mine.nodeId)
    assert.ok(apiKey.length >= 16)
    granted(await host.call('GET', '/session', { as: { ...mine, apiKey } }))
  })
  await t.test('ids in headers are trimmed and lower-cased', async () => {
    const padded = { ...mine, nodeId: `  ${mine.nodeId.toUpperCase()} ` }
    granted(await host.call('POST', '/api/nodes/validate', { as: padded, body: {} }))
  })
  await t.test('a wrong hash, an unknown node, the root node', async () => {
    const probe = (as) => host.call('POST', '/api/nodes/validate', { as, body: {} })
    refused(await probe({ ...mine, passwHash: accounts[0].passwHash }), 401, 'credentials_invalid')
    refused(await probe(accounts[3]), 401, 'credentials_invalid')
    refused(await probe({ nodeId: rootKey, passwHash: mine.passwHash }), 401, 'credentials_invalid')
    refused(await probe(undefined), 401, 'credentials_missing')
  })
  await t.test('credentials survive a restart', async () => {
    const other = await main(host, 2)
    await host.kill()
    await host.start()
    granted(await host.call('POST', '/api/nodes/validate', { as: other, body: {} }), {
      ok: (v) => v === true,
      nodeKind: (v) => v === 'main'
    })
  })
  await t.test('the store refuses another root key', async () => {
    await host.stop()
    const { writeFileSync } = await import('node:fs')
    writeFileSync(`${host.folder}/root`, 'b'.repeat(64))
    await assert.rejects(host.start(), /before it was ready/)
  })
})
