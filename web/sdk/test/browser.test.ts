import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Browser, type Page, type Request, chromium } from '@playwright/test'
import { build } from 'esbuild'
import type { NodeCredentialMaterial } from '../src/index.js'
import { RemotePlayWorld } from '../src/index.js'
import { launchOptions } from './chromium.js'
import { Host, Reports } from './host.js'
import { Project } from './packed.js'
import { repository } from './repository.js'
import { Started } from './started.js'

/** The input of the page's program. */
interface Given {
  readonly node: NodeCredentialMaterial
  readonly apiKey: string
}

/** A program for a page: an agent that answers. */
const agent = `
import { connect, tool } from '@playctl/sdk'
globalThis.start = async ({ node, apiKey }) => {
  const world = await connect({ baseUrl: location.origin, mainNodeCredentials: node, apiKey })
  const double = tool({ description: 'Doubles', input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }, run: ({ n }) => ({ n: 2 * n }) })
  const ada = await world.agent('Ada', { chat: async function* ({ text }) { yield 'You said: '; yield text }, tools: { double } })
  globalThis.stop = () => world.close()
  return ada.id
}
`

/** A program for a page: two components that show the names on the map. */
const component = `
import { StrictMode, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from '@playctl/sdk'
import { useWorld } from '@playctl/sdk/react'
function Names({ client }) {
  const { snapshot, verification, error } = useWorld(client)
  const names = (snapshot?.worldMap.occupants ?? []).filter((row) => row.kind === 'agent').map((row) => row.name).sort().join()
  return createElement('p', { 'data-verification': verification }, error?.message ?? names)
}
globalThis.start = async ({ node, apiKey }) => {
  const client = createClient({ baseUrl: location.origin, credentials: node, apiKey })
  const root = createRoot(document.body.appendChild(document.createElement('main')))
  globalThis.show = (count) => root.render(createElement(StrictMode, null, ...Array.from({ length: count }, () => createElement(Names, { client }))))
}
`

describe('the package in a browser', () => {
  const started = new Started()
  let project: Project
  let browser: Browser
  let host: Host
  let given: Given
  before(async () => {
    project = new Project()
    started.add(() => { project.remove() })
    browser = await chromium.launch(launchOptions('engine'))
    started.add(async () => browser.close())
    host = await Host.start()
    started.add(async () => host.end())
    given = await host.account()
  })
  after(async () => started.end())

  /** Opens a page of the host's origin that runs a program, bundled with the package as it is installed. */
  async function open(program: string, errors: string[]): Promise<Page> {
    project.write('page.js', program)
    const outfile = path.join(project.folder, 'bundle.js')
    await build({
      entryPoints: [path.join(project.folder, 'page.js')], outfile, bundle: true, format: 'esm', platform: 'browser', logLevel: 'silent',
      nodePaths: [path.join(repository, 'web/node_modules')], define: { 'process.env.NODE_ENV': '"development"' },
    })
    const page = await browser.newPage()
    page.on('pageerror', (error) => { errors.push(error.message) })
    await page.route('**/bundled', async (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>bundled</title>' }))
    await page.goto(`${host.url}/bundled`)
    await page.addScriptTag({ type: 'module', content: readFileSync(outfile, 'utf8') })
    await page.waitForFunction(() => 'start' in globalThis)
    return page
  }

  const world = () => new RemotePlayWorld({ baseUrl: host.url, apiKey: given.apiKey, mainNodeCredentials: given.node })

  it('runs an agent that answers', async (test) => {
    const errors: string[] = []
    const page = await open(agent, errors)
    const to = await page.evaluate(async (value) => (globalThis as unknown as { start: (value: Given) => Promise<string> }).start(value), given)
    const asker = world()
    test.after(async () => asker.close())
    assert.equal((await asker.ask({ to, text: 'hello' })).message, 'You said: hello')
    assert.equal((await asker.ask({ to, tool: 'assist_double', args: { n: 21 } })).result?.n, 42)
    await page.evaluate(async () => (globalThis as unknown as { stop: () => Promise<void> }).stop())
    assert.deepEqual(errors, [])
    await page.close()
  })

  it('renders the world with useWorld over one stream for all components', async (test) => {
    const errors: string[] = []
    const page = await open(component, errors)
    /** The number of open streams, reported at each change. */
    const streams = new Reports<number>()
    let count = 0
    const isStream = (url: string) => new URL(url).pathname.endsWith('/events')
    page.on('request', (request) => { if (isStream(request.url())) streams.add(++count) })
    const ended = (request: Request) => { if (isStream(request.url())) streams.add(--count) }
    page.on('requestfinished', ended)
    page.on('requestfailed', ended)
    const show = async (components: number) => page.evaluate((many) => { (globalThis as unknown as { show: (many: number) => void }).show(many) }, components)
    const shown = async (...texts: string[]) => page.waitForFunction((wanted) => {
      const paragraphs = [...document.querySelectorAll('p')]
      return JSON.stringify(paragraphs.map((p) => p.textContent)) === wanted && paragraphs.every((p) => p.dataset.verification === 'verified')
    }, JSON.stringify(texts))

    await page.evaluate(async (value) => (globalThis as unknown as { start: (value: Given) => Promise<void> }).start(value), given)
    const other = world()
    test.after(async () => other.close())
    const bo = await other.agent('Bo')
    await show(2)
    await shown('Bo', 'Bo')
    const cy = await other.agent('Cy')
    await shown('Bo,Cy', 'Bo,Cy')
    await cy.disconnect()
    await shown('Bo', 'Bo')
    // The components share a stream. Strict mode opens a second one, which may end later.
    await streams.until((open) => open === 1, streams.all.length - 1)
    await show(0)
    await streams.until((open) => open === 0, streams.all.length - 1)
    // A world that no component followed meanwhile is shown as unread at first.
    const first = page.evaluate(async () => new Promise((resolve) => {
      new MutationObserver(() => {
        const firstElement = document.querySelector('p')
        if (firstElement !== null) resolve(firstElement.dataset.verification)
      }).observe(document.body, { childList: true, subtree: true })
    }))
    await show(1)
    assert.equal(await first, 'unread')
    await bo.disconnect()
    await shown('')
    await streams.until((open) => open === 1, streams.all.length - 1)
    assert.deepEqual(errors, [])
    await page.close()
  })
})
