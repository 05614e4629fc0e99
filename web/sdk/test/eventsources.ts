import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchEventSource } from '@microsoft/fetch-event-source'
import type { Browser } from '@playwright/test'
import { EventSource } from 'eventsource'
import { createEventSource } from 'eventsource-client'

/** The source of streams: a host at a fixed address, and the caller. */
export interface Source {
  readonly url: string
  /** The path of the stream with the sid. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** The ids that one stream has received. */
export class Seen {
  first = 0
  last = 0
  lost = 0
  twice = 0
  constructor(readonly kind: string) {}

  /** Adds the id of an event. The ids are consecutive if a caller sees every event of a world. */
  add(id: string): void {
    const seq = Number(id)
    if (this.first === 0) this.first = seq
    else if (seq <= this.last) this.twice++
    else this.lost += seq - this.last - 1
    this.last = Math.max(this.last, seq)
  }
}

/** Streams of one library, which reconnect by themselves or in a loop that keeps the id. */
export interface Streams {
  readonly all: readonly Seen[]
  /** Returns how many streams have given up. */
  dead(): Promise<number>
  end(): Promise<void>
}

const address = (source: Source) => source.url + source.path
const kind = 'world:interaction'

export function eventsource(source: Source, count: number): Streams {
  const all = Array.from({ length: count }, () => new Seen('eventsource'))
  const open = all.map((seen) => {
    const stream = new EventSource(address(source), {
      fetch: async (input, init) => await fetch(input, { ...init, headers: { ...init.headers, ...source.headers } }),
    })
    stream.addEventListener(kind, (event) => { seen.add(event.lastEventId) })
    return stream
  })
  return {
    all,
    dead: async () => await Promise.resolve(open.filter((stream) => stream.readyState === EventSource.CLOSED).length),
    end: async () => {
      for (const stream of open) stream.close()
      await Promise.resolve()
    },
  }
}

export function eventsourceClient(source: Source, count: number): Streams {
  const all = Array.from({ length: count }, () => new Seen('eventsource-client'))
  const open = all.map((seen) => createEventSource({
    url: address(source), headers: { ...source.headers },
    onMessage: (event) => { if (event.event === kind) seen.add(event.id ?? '') },
  }))
  return {
    all,
    dead: async () => await Promise.resolve(open.filter((stream) => stream.readyState === 'closed').length),
    end: async () => {
      for (const stream of open) stream.close()
      await Promise.resolve()
    },
  }
}

/** The streams of fetch-event-source. The library needs globals of a browser, and reconnects after a clean end only if `onclose` throws an error. */
export function fetchSource(source: Source, count: number): Streams {
  Object.assign(globalThis, { window: globalThis, document: { hidden: false, addEventListener: () => undefined, removeEventListener: () => undefined } })
  const all = Array.from({ length: count }, () => new Seen('fetch-event-source'))
  const ending = new AbortController()
  let dead = 0
  const running = all.map(async (seen) => {
    await fetchEventSource(address(source), {
      headers: { ...source.headers }, signal: ending.signal, openWhenHidden: true, fetch,
      onmessage: (event) => { if (event.event === kind) seen.add(event.id) },
      onclose: () => { throw new Error('the stream ended') },
    }).catch(() => undefined)
    if (!ending.signal.aborted) dead++
  })
  return {
    all,
    dead: async () => await Promise.resolve(dead),
    end: async () => {
      ending.abort()
      await Promise.all(running)
    },
  }
}

/** The streams of the program in testdata/r3labs, which opens the given number of streams. */
export function r3labs(program: string, source: Source, count: number): Streams {
  const all = Array.from({ length: count }, () => new Seen('r3labs/sse'))
  const child = spawn(program, [address(source), String(count)], {
    env: { NODE_ID: source.headers['x-node-id'], NODE_PASSW: source.headers['x-node-passw'] }, stdio: ['ignore', 'pipe', 'inherit'],
  })
  const reading = lines(child, (line) => {
    const [stream, id] = line.split(' ')
    all[Number(stream)]?.add(id ?? '')
  })
  return { all, dead: async () => await Promise.resolve(child.exitCode === null ? 0 : count), end: async () => {
    child.kill('SIGKILL')
    await reading
  } }
}

/** The streams of curl in loops, which keep the id and the time to wait. */
export function curl(source: Source, count: number): Streams {
  const all = Array.from({ length: count }, () => new Seen('curl'))
  const headers = Object.entries(source.headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  const ending = new AbortController()
  const children = new Set<ChildProcess>()
  const running = all.map(async (seen) => {
    let retry = 1000
    let id = ''
    while (!ending.signal.aborted) {
      const child = spawn('curl', ['--silent', '--no-buffer', ...headers, ...(id === '' ? [] : ['--header', `last-event-id: ${id}`]), address(source)], { stdio: ['ignore', 'pipe', 'inherit'] })
      children.add(child)
      let event = ''
      await lines(child, (line) => {
        if (line.startsWith('id: ')) id = line.slice(4)
        if (line.startsWith('event: ')) event = line.slice(7)
        if (line.startsWith('retry: ')) retry = Number(line.slice(7))
        if (line === '' && event === kind) seen.add(id)
        if (line === '') event = ''
      })
      children.delete(child)
      // Each stream is a process, and this process has to start them all.
      await sleep(Math.max(retry, count * 25), undefined, { signal: ending.signal }).catch(() => undefined)
    }
  })
  return {
    all,
    dead: async () => await Promise.resolve(0),
    end: async () => {
      ending.abort()
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(running)
    },
  }
}

/** Calls a function for each line that a program prints, until its end. */
async function lines(child: ChildProcess, line: (text: string) => void): Promise<void> {
  let rest = ''
  for await (const piece of child.stdout ?? []) {
    const all = (rest + String(piece)).split('\n')
    rest = all.pop() ?? ''
    for (const text of all) line(text)
  }
}

/** The page's global object with its streams. */
type Page = typeof globalThis & { streams: globalThis.EventSource[] }

/** Chromium's own EventSource, in contexts of a number of streams each; a context has six connections over HTTP/1.1. */
export async function chromiumSource(browser: Browser, source: Source, contexts: number, each: number): Promise<Streams> {
  const name = source.url.startsWith('https') ? 'Chromium, HTTP/2' : 'Chromium'
  const all = Array.from({ length: contexts * each }, () => new Seen(name))
  const pages = await Promise.all(Array.from({ length: contexts }, async (_, n) => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    await page.goto(`${source.url}/healthz`)
    await page.exposeFunction('seen', (i: number, id: string) => { all[n * each + i]?.add(id) })
    await page.evaluate(async ([path, count, event]) => {
      await fetch('/play/watch/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
      const seen = (globalThis as unknown as { seen: (i: number, id: string) => void }).seen
      ;(globalThis as Page).streams = Array.from({ length: count }, (_, i) => {
        const stream = new EventSource(path)
        stream.addEventListener(event, (reported) => { seen(i, reported.lastEventId) })
        return stream
      })
    }, [source.path, each, kind] as const)
    return page
  }))
  return {
    all,
    dead: async () => {
      const closed = await Promise.all(pages.map(async (page) => await page.evaluate(() => (globalThis as Page).streams.filter((stream) => stream.readyState === EventSource.CLOSED).length)))
      return closed.reduce((sum, n) => sum + n, 0)
    },
    end: async () => { await Promise.all(pages.map(async (page) => { await page.context().close() })) },
  }
}
