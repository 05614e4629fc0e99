import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { it } from 'node:test'
import { playctl, repository } from './repository.js'

/** The blocks of a language in a Markdown text. */
function blocks(text: string, language: string): string[] {
  return Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gmu')), (found) => found[1] ?? '')
}

it('the package runs the example of its README in a fresh project, and has types', () => {
  const web = path.join(repository, 'web')
  const folder = mkdtempSync(path.join(tmpdir(), 'playctl-sdk-pack-'))
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PLAYCTL_BINARY: playctl() } })
  try {
    const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: path.join(web, 'sdk'), encoding: 'utf8' }).replace(/^[^[]*/u, '')) as
      { filename: string; files: { path: string }[] }[]
    assert.ok(packed)
    const files = packed.files.map((file) => file.path)
    for (const needed of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/node/index.js', 'dist/node/guardian.js']) {
      assert.ok(files.includes(needed), `${needed} is not in the package`)
    }
    assert.ok(!files.some((file) => file.includes('test')), 'tests are in the package')
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    run('npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', `./${packed.filename}`)

    const [example = ''] = blocks(readFileSync(path.join(web, 'sdk', 'README.md'), 'utf8'), 'js')
    writeFileSync(path.join(folder, 'example.js'), example)
    const said = run(process.execPath, 'example.js')
    assert.match(said, /^a world is served at http:/u)
    assert.match(said, /world:player_added \[ 'Ada' \] verified/u)

    writeFileSync(path.join(folder, 'consumer.ts'), `
      import { type WorldUpdate, RemotePlayWorld, isEvent, type WorldEvent } from '@playctl/sdk'
      import { PlayWorld } from '@playctl/sdk/node'
      export const show = (update: WorldUpdate): number => update.snapshot.worldMap.occupants.length
      export const text = (event: WorldEvent): string => isEvent(event, 'world:interaction') ? event.data.text : ''
      // @ts-expect-error an API key is required
      export const wrong = () => new RemotePlayWorld({ baseUrl: 'http://127.0.0.1:7420' })
      export const own: Promise<PlayWorld> = PlayWorld.start()
    `)
    run(process.execPath, path.join(web, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022', '--types', 'node',
      '--typeRoots', path.join(web, 'node_modules/@types'), 'consumer.ts')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
