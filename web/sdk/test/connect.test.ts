import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { OptionError, PlayError, connect, createNodeCredentialMaterial } from '../src/index.js'
import { Host } from './host.js'
import { playctl } from './repository.js'

describe('connect', () => {
  let host: Host
  const file = () => path.join(host.folder, 'credentials.json')
  /** Sets the environment of this process; variables that are not named are unset. */
  const setEnvironment = (variables: Record<string, string>) => {
    for (const name of Object.keys(process.env).filter((name) => name.startsWith('PLAYCTL_') && name !== 'PLAYCTL_BINARY')) Reflect.deleteProperty(process.env, name)
    Object.assign(process.env, { HOME: host.folder, XDG_CONFIG_HOME: '', ...variables })
  }
  const { env } = process
  const savedEnv = { ...env }
  before(async () => { host = await Host.start() })
  afterEach(() => { process.env = { ...savedEnv } })
  after(async () => { await host.end() })

  it('reads the server and the account from the environment', async () => {
    const { node, apiKey } = await host.account()
    setEnvironment({ PLAYCTL_SERVER: host.url, PLAYCTL_NODE_ID: node.nodeId, PLAYCTL_PHRASE: node.phrase, PLAYCTL_API_KEY: apiKey })
    await using world = await connect()
    assert.equal((await world.client()).nodeId, node.nodeId)
    process.env.PLAYCTL_PHRASE = ''
    await assert.rejects(connect(), /PLAYCTL_NODE_ID needs PLAYCTL_PHRASE/u)
  })

  it('uses the current context of playctl, with its agents', async () => {
    setEnvironment({ PLAYCTL_CREDENTIALS_FILE: file() })
    const run = (...args: string[]) => JSON.parse(execFileSync(playctl(), [...args, '--output', 'json', '--no-input', '--quiet'], { env: process.env, encoding: 'utf8' })) as Record<string, string>
    const main = run('create-main-node', '--server', host.url, '--phrase-file', path.join(host.folder, 'phrase'))
    const ada = run('create-agent-node', 'Ada', '--phrase-file', path.join(host.folder, 'ada'))
    for (const options of [{}, { baseUrl: host.url }, { context: 'default' }]) {
      await using world = await connect(options)
      assert.equal((await world.client()).nodeId, main.nodeId)
      assert.equal((await world.agent('Ada')).id, ada.agentId)
    }
    await assert.rejects(connect({ context: 'other' }), (error) => error instanceof OptionError && error.message.includes('"other"'))
    // Credentials for one server are not sent to another.
    await assert.rejects(connect({ baseUrl: 'http://192.0.2.1:7420', timeoutMs: 50, retry: { attempts: 1, baseMs: 1, maxMs: 1 } }), /cannot reach the host/u)
    chmodSync(file(), 0o644)
    await assert.rejects(connect(), /chmod 600/u)
    chmodSync(file(), 0o600)
    writeFileSync(file(), '{"version":9}')
    await assert.rejects(connect(), /is not a credentials file of this version/u)
  })

  it('uses the agents of a context that has no account, and creates none', async () => {
    const { node, apiKey } = await host.account()
    setEnvironment({ PLAYCTL_SERVER: host.url, PLAYCTL_NODE_ID: node.nodeId, PLAYCTL_PHRASE: node.phrase, PLAYCTL_API_KEY: apiKey })
    await using owner = await connect()
    const agents = await Promise.all(['Ada', 'Bea'].map(async (label) => {
      const { passwHash } = createNodeCredentialMaterial({ rootKey: host.rootKey })
      return { label, nodeId: await owner.createAgentNode({ passwHash, rootKey: host.rootKey }), passwHash, createdAt: '2026-01-02T03:04:05.678Z' }
    }))
    const alone = { serverUrl: host.url, service: 'play', rootKey: host.rootKey, createdAt: '2026-01-02T03:04:05.678Z', apiKey, agents }
    writeFileSync(file(), JSON.stringify({ version: 1, currentContext: 'alone', contexts: { alone } }), { mode: 0o600 })
    setEnvironment({ PLAYCTL_CREDENTIALS_FILE: file() })
    const warnings: string[] = []
    await using world = await connect({ onWarning: (text) => { warnings.push(text) } })
    for (const { label, nodeId } of agents) {
      const agent = await world.agent(label, { chat: ({ text }) => `${label} heard ${text}` })
      assert.equal(agent.id, nodeId)
      const answer = await owner.ask({ to: nodeId, text: 'hello' })
      assert.equal(answer.message, `${label} heard hello`)
    }
    assert.deepEqual(warnings, [])
    await assert.rejects(world.agent('Cid'), PlayError)
  })

  it('creates an account for this run at a local host with open registration', async () => {
    setEnvironment({ PLAYCTL_SERVER: host.url })
    const warnings: string[] = []
    await using world = await connect({ onWarning: (text) => { warnings.push(text) } })
    assert.notEqual((await world.client()).nodeId, '')
    assert.match(warnings.join(), /a temporary account/u)
  })

  it('states what to do at a host with closed registration', async () => {
    const closed = await Host.start('--registration', 'closed')
    setEnvironment({ PLAYCTL_SERVER: closed.url })
    await assert.rejects(connect(), (error) => error instanceof OptionError && /playctl create-main-node.*PLAYCTL_NODE_ID/u.test(error.message))
    await closed.end()
  })

  it('needs no account at a host without accounts', async () => {
    const free = await Host.start('--no-repository')
    setEnvironment({ PLAYCTL_SERVER: free.url })
    await using world = await connect()
    assert.equal((await world.getWorldSnapshot()).worldMap.occupants.length, 0)
    await world.close()
    await free.end()
  })

  it('requires a context to be named if none is in use', async () => {
    mkdirSync(host.folder, { recursive: true })
    const context = { serverUrl: 'http://127.0.0.1:1', service: 'play' }
    writeFileSync(file(), JSON.stringify({ version: 1, contexts: { home: context, work: context } }), { mode: 0o600 })
    setEnvironment({ PLAYCTL_CREDENTIALS_FILE: file() })
    await assert.rejects(connect(), (error) => error instanceof OptionError && /home, work.*PLAYCTL_CONTEXT/u.test(error.message))
    await assert.rejects(connect({ context: 'home' }), /cannot reach the host/u)
  })

  it('sends no account to another server', async () => {
    mkdirSync(host.folder, { recursive: true })
    const other = await Host.start('--registration', 'closed')
    const node = createNodeCredentialMaterial({ rootKey: 'r' })
    writeFileSync(file(), '\ufeff' + JSON.stringify({ version: 1, currentContext: 'a', contexts: { a: { serverUrl: host.url, service: 'play', mainNode: { nodeId: node.nodeId, passwHash: node.passwHash } } } }), { mode: 0o600 })
    setEnvironment({ PLAYCTL_CREDENTIALS_FILE: file(), PLAYCTL_SERVER: other.url })
    await assert.rejects(connect(), /there is no account for/u)
    await other.end()
    await host.end() // with the folder that was created again
  })
})
