// A real host with an account, for these tests.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { RemotePlayWorld, createClient, createNodeCredentialMaterial } from '@playctl/sdk'

/** Starts a host at a free port, and returns its address, an account and a function that stops it. */
export async function startHost(...flags) {
  const folder = mkdtempSync(path.join(tmpdir(), 'playctl-integrations-'))
  let { child, url, rootFile } = await serve(folder, flags)
  const node = createNodeCredentialMaterial({ rootKey: readFileSync(rootFile, 'utf8').trim() })
  const { apiKey } = await createClient({ baseUrl: url }).createMainNode(node)
  // The settings with which a program finds the account.
  const account = { PLAYCTL_SERVER: url, PLAYCTL_NODE_ID: node.nodeId, PLAYCTL_PHRASE: node.phrase, PLAYCTL_API_KEY: apiKey }
  const env = { PATH: process.env.PATH, HOME: folder, ...account }
  const world = () => new RemotePlayWorld({ baseUrl: url, apiKey, mainNodeCredentials: node })
  const stop = async (signal) => {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return {
    url, node, apiKey, folder, env: account, world,
    record: async () => record(path.join(folder, 'recording'), env, world),
    /** Starts the host again with its store, at another port. */
    async restart() {
      await stop('SIGKILL');
      ({ child, url } = await serve(folder, flags))
    },
    async end() {
      await stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a host with the store of a folder. */
async function serve(folder, flags) {
  const child = spawn(process.env.PLAYCTL, ['serve', '--listen', '127.0.0.1:0', '--output', 'json', '--data-dir', folder, ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: process.env.PATH, HOME: folder },
  })
  let banner = ''
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    banner += String(text)
    if (banner.trimEnd().endsWith('}')) break
  }
  child.stdout.resume()
  return { child, ...JSON.parse(banner) }
}

/** A host, and an account for commands. */
export async function startKnownHost() {
  const host = await startHost()
  const env = { PATH: process.env.PATH, HOME: host.folder, PLAYCTL_SERVER: host.url }
  await promisify(execFile)(process.env.PLAYCTL, ['create-main-node', '--phrase-file', path.join(host.folder, 'phrase')], { env })
  return { ...host, env }
}

/** The line that ends a recording. */
const lastLine = 'This is all.'

/**
 * Records all events from now on, and returns a function that ends the recording and replays it: the number of events
 * and of verified ones. A recording verifies the events after its own snapshot.
 */
async function record(file, env, open) {
  const tail = spawn(process.env.PLAYCTL, ['tail', '--record', file, '--until', `interaction,text=${lastLine}`, '--timeout', '0', '--output', 'ndjson'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let problems = ''
  tail.stderr.on('data', (text) => { problems += String(text) })
  const ended = once(tail, 'exit')
  await Promise.race([appeared(file), ended.then(() => { throw new Error(problems) })])
  return async () => {
    const world = open()
    const { id } = await world.agent('Zoe')
    await world.recordInteraction({ playerId: id, role: 'user', text: lastLine })
    const [code] = await ended
    await world.close()
    if (code !== 0) throw new Error(problems)
    return JSON.parse(execFileSync(process.env.PLAYCTL, ['replay', file, '--check', '--output', 'json'], { encoding: 'utf8', env }))
  }
}

/** Waits until there is a file. */
async function appeared(file) {
  let watcher
  await new Promise((resolve) => {
    const look = () => { if (existsSync(file)) resolve() }
    watcher = watch(path.dirname(file), look)
    look()
  })
  watcher.close()
}
