// Protocol, "Events": the comments that keep a quiet stream open. In a file of its own,
// so that its wait goes on beside the others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStream } from './lib/stream.mjs'
import { openWorld } from './lib/world.mjs'

const { host, owner, sid } = await openWorld()

test('a quiet stream gets a comment every 15 s', async (t) => {
  const quiet = await openStream(host, { as: owner, sid })
  t.after(() => quiet.close())
  const opened = Date.now()
  await quiet.when(() => quiet.comments.length > 1, 'a heartbeat', 20_000)
  assert.ok(Date.now() - opened > 13_000, `the heartbeat came after ${Date.now() - opened} ms`)
})
