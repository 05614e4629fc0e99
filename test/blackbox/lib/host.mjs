// Starts the host as a user does, and ends it: politely, or as a power cut does.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { once } from 'node:events'
import { Client } from './client.mjs'

const binary = process.env.PLAYCTL
if (!binary) throw new Error('PLAYCTL is not set: start the tests with ./run.sh')

const vectors = JSON.parse(readFileSync(new URL('../../../internal/creds/testdata/credentials.json', import.meta.url)))

// The root key of the known answers: their phrases are accounts without a
// derivation on this side.
export const rootKey = vectors.rootKeys[0]
export const accounts = vectors.phrases.map(({ passwHash, nodeIds }) => ({ nodeId: nodeIds[0], passwHash }))

export const adminToken = 'administrator-of-the-black-box-test'

class Host extends Client {
  constructor(folder, args) {
    super()
    this.folder = folder
    this.args = args
    this.log = ''
  }

  async start() {
    const args = [
      'serve',
      '--listen',
      '127.0.0.1:0',
      '--data-dir',
      join(this.folder, 'data'),
      '--output',
      'json',
      '--root-file',
      join(this.folder, 'root'),
      '--admin-token-file',
      join(this.folder, 'admin'),
      ...this.args
    ]
    const env = { PATH: process.env.PATH, HOME: this.folder }
    this.process = spawn(binary, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.exited = once(this.process, 'exit')
    this.process.stderr.setEncoding('utf8').on('data', (text) => (this.log += text))
    this.base = (await this.#banner()).url
    return this
  }

  // The banner is one JSON document on standard output, written once the host serves.
  #banner() {
    return new Promise((resolve, reject) => {
      let text = ''
      this.process.stdout.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
        try {
          resolve(JSON.parse(text))
        } catch {
          // The document is not complete yet.
        }
      })
      this.process.once('error', reject)
      this.process.once('exit', (code) =>
        reject(new Error(`the host ended with ${code} before it served:\n${this.log}`))
      )
    })
  }

  // kill is what a power cut does to the process.
  async kill() {
    this.process.kill('SIGKILL')
    await this.exited
  }

  async stop() {
    this.process.kill('SIGTERM')
    await this.exited
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

// startHost serves an empty world until the test file ends.
export async function startHost(...args) {
  const folder = mkdtempSync(join(tmpdir(), 'playctl-blackbox-'))
  writeFileSync(join(folder, 'root'), rootKey, { mode: 0o600 })
  writeFileSync(join(folder, 'admin'), adminToken, { mode: 0o600 })
  const host = new Host(folder, args)
  after(async () => {
    await host.kill()
    host.remove()
  })
  return host.start()
}
