// A real host with an account, for the tests here.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { RemotePlayWorld, createClient, createNodeCredentialMaterial } from '@playctl/sdk'

/** Starts a host at a free port, and gives its address, an account and what ends it. */
export async function startHost(...flags) {
  const folder = mkdtempSync(path.join(tmpdir(), 'playctl-integrations-'))
  const child = spawn(process.env.PLAYCTL, ['serve', '--listen', '127.0.0.1:0', '--output', 'json', '--data-dir', folder, ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: process.env.PATH, HOME: folder },
  })
  let banner = ''
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    banner += String(text)
    if (banner.trimEnd().endsWith('}')) break
  }
  child.stdout.resume()
  const { url, rootFile } = JSON.parse(banner)
  const node = createNodeCredentialMaterial({ rootKey: readFileSync(rootFile, 'utf8').trim() })
  const { apiKey } = await createClient({ baseUrl: url }).createMainNode(node)
  return {
    url, node, apiKey, folder,
    /** What a program needs to find the account. */
    env: { PLAYCTL_SERVER: url, PLAYCTL_NODE_ID: node.nodeId, PLAYCTL_PHRASE: node.phrase, PLAYCTL_API_KEY: apiKey },
    world: () => new RemotePlayWorld({ baseUrl: url, apiKey, mainNodeCredentials: node }),
    /** Runs a command of playctl as the account. */
    run(...args) {
      return execFileSync(process.env.PLAYCTL, args, { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: folder, ...this.env } })
    },
    async end() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
