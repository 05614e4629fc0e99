// Makes the world that openWorld copies, in the folder that is named: the store of
// one host, and what its accounts show.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Host } from './host.mjs'
import { newWorld } from './world.mjs'

const [folder] = process.argv.slice(2)
const host = new Host(folder, [])
await host.start()
try {
  const { owner, agent } = await newWorld(host)
  writeFileSync(join(folder, 'accounts.json'), JSON.stringify({ owner, agent }), { mode: 0o600 })
} finally {
  await host.stop()
}
// A connection that is kept would keep this program.
process.exit()
