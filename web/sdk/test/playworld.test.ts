import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, it } from 'node:test'
import { OptionError, createClient, createNodeCredentialMaterial, frameworkRegistration } from '../src/index.js'
import { PlayWorld } from '../src/node/index.js'
import { Reports } from './host.js'
import { playctl } from './repository.js'

const agent = frameworkRegistration('test', ['chat_tool'])
const binary = playctl()

describe('PlayWorld', () => {
  it('serves a world, posts to a bridge, and ends with its host', async () => {
    const posted = new Reports<string>()
    const bridge = createServer((request, response) => {
      request.on('data', (piece: Buffer) => { posted.add(piece.toString()) }).on('end', () => response.end('{}'))
    }).listen(0, '127.0.0.1')
    await once(bridge, 'listening')
    const world = await PlayWorld.start({ binary, playApiBase: `http://127.0.0.1:${(bridge.address() as AddressInfo).port}` })
    const kinds = new Reports<string>()
    const opened = new Reports<boolean>()
    await world.subscribeEvents({ onEvent: (event) => { kinds.add(event.kind) }, onOpen: () => { opened.add(true) } })
    await opened.until(() => true)
    const ada = await world.addAgent({ name: 'Ada', agent })
    await world.registerMCP({ name: 'tools' })
    await world.registerSpaceNode({ name: 'Shop', designKey: 'd', owner: { displayName: 'Ada' }, amenities: ['shop'] })
    await world.recordInteraction({ playerId: ada.id, role: 'assistant', text: 'hello' })
    await world.recordJourney(ada.id, {
      steps: [{ type: 'origin', content: 'hi', messageId: 'm' }], startedAt: new Date().toISOString(), completedAt: new Date().toISOString(),
    })
    await kinds.until((kind) => kind === 'world:journey')
    await posted.until((text) => text.includes('world:interaction'))
    const snapshot = await world.getWorldSnapshot()
    assert.equal(snapshot.worldMap.occupants.length, 2)
    assert.equal(snapshot.mainNodeId, world.rootKey)
    let closed = 0
    world.onClose(() => { closed++ })
    await Promise.all([world.close(), assert.rejects(world.hold().for(60))])
    assert.equal(closed, 1)
    await assert.rejects(createClient({ baseUrl: world.url, retry: { attempts: 1, baseMs: 1, maxMs: 1 } }).session())
    bridge.closeAllConnections()
    bridge.close()
  })

  it('reopens the same world from its folder', async () => {
    const repository = mkdtempSync(path.join(tmpdir(), 'playworld-test-'))
    const first = await PlayWorld.start({ binary, repository })
    const mainNodeCredentials = createNodeCredentialMaterial({ rootKey: first.rootKey })
    const credentials = createNodeCredentialMaterial({ rootKey: first.rootKey })
    await first.close()
    let sid = ''
    for (let start = 0; start < 2; start++) {
      const world = await PlayWorld.start({ binary, repository, mainNodeCredentials })
      const ada = await world.addAgent({ name: 'Ada', agent, credentials })
      assert.equal(ada.id, credentials.nodeId)
      const snapshot = await world.getWorldSnapshot()
      if (start > 0) assert.equal(snapshot.sid, sid)
      sid = snapshot.sid
      await world.close()
    }
    rmSync(repository, { recursive: true })
  })

  it('states what to do if there is no playctl program', async () => {
    for (const [named, path] of [['/nonexistent/playctl', process.env.PATH], [undefined, '/nonexistent']] as const) {
      const { PATH, PLAYCTL_BINARY } = process.env
      process.env.PATH = path
      delete process.env.PLAYCTL_BINARY
      try {
        await assert.rejects(PlayWorld.start(named === undefined ? {} : { binary: named }), (error) => {
          assert.ok(error instanceof Error)
          assert.match(error.message, /^cannot run (?:\/nonexistent\/)?playctl \(spawn .* ENOENT\): install the playctl program, .* by the option binary or by PLAYCTL_BINARY$/u)
          return true
        })
      } finally {
        Object.assign(process.env, { PATH, ...(PLAYCTL_BINARY === undefined ? {} : { PLAYCTL_BINARY }) })
      }
    }
    await assert.rejects(PlayWorld.start({ binary, flags: ['--no-such-flag'] }), /serve did not start: .*--no-such-flag/u)
  })

  it('starts no host if the root key is unreadable', async () => {
    const repository = mkdtempSync(path.join(tmpdir(), 'playworld-test-'))
    const program = path.join(repository, 'program')
    const started = path.join(repository, 'started')
    writeFileSync(program, `#!/bin/sh\n: > '${started}'\necho '{"url": "http://127.0.0.1:9"}'\nread -r word\n`, { mode: 0o755 })
    writeFileSync(path.join(repository, 'root.rootkey'), 'no key')
    await assert.rejects(PlayWorld.start({ binary: program, repository }), OptionError)
    assert.equal(existsSync(started), false)
    rmSync(repository, { recursive: true })
  })

  it('leaves no host and no folder when its program is killed', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'playworld-test-'))
    const program = `
      import { PlayWorld } from ${JSON.stringify(new URL('../src/node/index.js', import.meta.url).href)}
      const world = await PlayWorld.start({ binary: ${JSON.stringify(binary)}, noRepository: true })
      process.stdout.write(world.url + '\\n')`
    const parent: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: folder } })
    const [line] = await once(parent.stdout ?? parent, 'data') as [Buffer]
    const client = createClient({ baseUrl: line.toString().trim(), retry: { attempts: 1, baseMs: 1, maxMs: 1 } })
    const lost = new Reports<boolean>()
    const { sid } = await client.session()
    // The stream ends when the host does.
    const response = await fetch(`${line.toString().trim()}/api/play/events?sid=${sid}`)
    parent.kill('SIGKILL')
    await response.text().then(() => { lost.add(true) }, () => { lost.add(true) })
    await lost.until(() => true)
    // It still answers while it ends.
    while (await client.session().then(() => true, () => false));
    const watcher = watch(folder)
    while (readdirSync(folder).length > 0) await once(watcher, 'change')
    watcher.close()
    rmSync(folder, { recursive: true })
  })
})
