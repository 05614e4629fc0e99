import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { sharedFetch, type Sharing } from './fetch.js'
import type { Life, OpenWire } from './wire.js'

/** A host that numbers events from 1, and has at most some of them still. */
class Host {
  /** The open streams, with the tab that each belongs to. */
  readonly streams = new Map<ReadableStreamDefaultController<Uint8Array>, Tab>()
  opened = 0
  last = 0
  /** The first event that it still has. */
  first = 1
  down = false
  status = 200
  readonly #encoder = new TextEncoder()

  event(): void {
    this.last += 1
    for (const stream of this.streams.keys()) this.#send(stream, this.#block(this.last))
  }

  comment(): void { for (const stream of this.streams.keys()) this.#send(stream, ':\n\n') }

  #block(seq: number): string { return `id: ${String(seq)}\nevent: world:interaction\ndata: {"seq":${String(seq)}}\n\n` }
  #send(stream: ReadableStreamDefaultController<Uint8Array>, text: string): void { stream.enqueue(this.#encoder.encode(text)) }

  /** Ends all streams, with an error or cleanly. */
  end(error?: Error): void {
    for (const stream of this.streams.keys()) {
      if (error === undefined) stream.close()
      else stream.error(error)
    }
    this.streams.clear()
  }

  fetch(tab: Tab, init: RequestInit): Promise<Response> {
    if (tab.crashed) return new Promise(() => undefined)
    if (this.down) return Promise.reject(new TypeError('connection refused'))
    this.opened += 1
    if (this.status !== 200) return Promise.resolve(Response.json({ error: 'no' }, { status: this.status }))
    const after = Number(new Headers(init.headers).get('last-event-id') ?? this.last)
    let stream: ReadableStreamDefaultController<Uint8Array> | undefined
    const leave = (): void => { if (stream !== undefined) this.streams.delete(stream) }
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = controller
        this.streams.set(controller, tab)
        this.#send(controller, 'retry: 2000\n:\n\n')
        if (after + 1 < this.first || after > this.last) {
          this.#send(controller, `id: ${String(this.last)}\n\nid: ${String(this.last)}\nevent: session:resync\ndata: {"reason":"too_old"}\n\n`)
          return
        }
        this.#send(controller, `id: ${String(after)}\n\n`)
        for (let seq = after + 1; seq <= this.last; seq += 1) this.#send(controller, this.#block(seq))
      },
      cancel: leave,
    })
    init.signal?.addEventListener('abort', () => {
      leave()
      try { stream?.error(init.signal?.reason) } catch { /* It has ended. */ }
    })
    return Promise.resolve(new Response(body, { status: 200 }))
  }
}

/** One tab: its state, and the events that it has read, each time by another request after the last of them. */
class Tab implements Life {
  visible = true
  awake = true
  /** A crashed tab does nothing any more; a stuck one takes its messages when it continues. */
  crashed = false
  stuck = false
  readonly seqs: number[] = []
  resyncs = 0
  requests = 0
  losses: string[] = []
  refusals = 0
  readonly waiting: (() => void)[] = []
  readonly ending = new AbortController()
  readonly #listeners = new Set<() => void>()

  constructor(readonly browser: Browser, readonly from: number) { void this.#run() }

  listen(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => { this.#listeners.delete(changed) }
  }

  become(state: Partial<Pick<Tab, 'visible' | 'awake'>>): void {
    Object.assign(this, state)
    for (const changed of this.#listeners) changed()
  }

  thaw(): void {
    this.stuck = false
    for (const run of this.waiting.splice(0)) run()
  }

  close(): void { this.ending.abort() }

  get at(): number { return this.seqs.at(-1) ?? this.from }

  async #run(): Promise<void> {
    const fetch = sharedFetch({ name: 'me' }, { openWire: this.browser.openWire(this), life: () => this, fetch: (_, init = {}) => this.browser.host.fetch(this, init) } satisfies Sharing)
    for (;;) {
      this.requests += 1
      try {
        const response = await fetch('http://town.test/events', { signal: this.ending.signal, headers: { 'accept': 'text/event-stream', 'last-event-id': String(this.at) } })
        if (response.status !== 200) this.refusals += 1
        else await this.#read(response)
      } catch (error) {
        this.losses.push(String(error))
      }
      if (this.ending.signal.aborted) return
      await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 300))
    }
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(piece, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const id = /^id: (\d+)/m.exec(block)?.[1]
        if (id === undefined || !block.includes('data:')) continue
        if (block.includes('session:resync')) this.resyncs += 1
        this.seqs.push(Number(id))
      }
    }
  }
}

/** Tabs of one origin with channels between them, which deliver copies in order and later. */
class Browser {
  readonly tabs: Tab[] = []
  readonly #wires = new Map<string, Set<{ readonly tab: Tab, readonly receive: (message: never) => void }>>()
  readonly host = new Host()
  delivered = 0

  open(from = this.host.last): Tab {
    const tab = new Tab(this, from)
    this.tabs.push(tab)
    return tab
  }

  openWire(tab: Tab): OpenWire {
    return (name, receive) => {
      const ends = this.#wires.get(name) ?? new Set()
      this.#wires.set(name, ends)
      const own = { tab, receive: receive ?? (() => undefined) }
      if (receive !== undefined) ends.add(own)
      let open = true
      const send = (copy: unknown): void => {
        for (const end of [...ends]) if (end !== own) setTimeout(() => { deliver(end, copy) }, 1)
      }
      const deliver = (end: typeof own, copy: unknown): void => {
        if (end.tab.crashed || !ends.has(end)) return
        if (end.tab.stuck) {
          end.tab.waiting.push(() => { deliver(end, copy) })
          return
        }
        this.delivered += 1
        end.receive(copy as never)
      }
      return {
        post: (message) => {
          assert.ok(open, 'nothing is sent on a closed channel')
          const copy: unknown = structuredClone(message)
          if (tab.stuck) tab.waiting.push(() => { send(copy) })
          else if (!tab.crashed) send(copy)
        },
        close: () => {
          open = false
          ends.delete(own)
        },
      }
    }
  }

  /** Crashes a tab: its connection ends, and it says nothing. */
  crash(tab: Tab): void {
    tab.crashed = true
    for (const [stream, owner] of this.host.streams) if (owner === tab) this.host.streams.delete(stream)
  }

  /** The tab that has the stream. */
  get leader(): Tab {
    const [leader] = this.host.streams.values()
    assert.ok(leader !== undefined, 'no tab has a stream')
    return leader
  }
}

async function pass(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 10) {
    mock.timers.tick(10)
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => { setImmediate(resolve) })
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, place) => from + 1 + place)

/** Checks that each tab that still runs has read each event once, in order. */
function complete(browser: Browser, tabs = browser.tabs.filter((tab) => !tab.crashed && !tab.ending.signal.aborted)): void {
  for (const tab of tabs) assert.deepEqual(tab.seqs, range(tab.from, browser.host.last), `tab ${String(browser.tabs.indexOf(tab))}: ${tab.losses.join(', ')}`)
}

describe('tabs that share a stream', () => {
  let browser: Browser
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    browser = new Browser()
  })
  afterEach(async () => {
    for (const tab of browser.tabs) tab.close()
    await pass(50)
    mock.timers.reset()
  })

  it('have one connection, and each reads every event once', async () => {
    for (let tab = 0; tab < 20; tab += 1) browser.open(0)
    await pass(500)
    for (let event = 0; event < 50; event += 1) {
      browser.host.event()
      if (event % 10 === 0) await pass(20)
    }
    await pass(100)
    complete(browser)
    assert.equal(browser.host.streams.size, 1)
    assert.equal(browser.host.opened, 1)
  })

  it('send each other little while nothing happens', async () => {
    for (let tab = 0; tab < 20; tab += 1) browser.open().visible = tab === 0
    await pass(1000)
    const before = browser.delivered
    await pass(10_000)
    assert.ok(browser.delivered - before < 100, `${String(browser.delivered - before)} messages in 10 s`)
  })

  for (const [name, end] of Object.entries({
    'is closed': (tab: Tab) => { tab.close() },
    'is frozen by the browser': (tab: Tab) => { tab.become({ awake: false, visible: false }) },
    'crashes': (tab: Tab) => { browser.crash(tab) },
    'does not run': (tab: Tab) => { tab.stuck = true },
  })) {
    it(`continue within 2 s when the leader ${name}`, async () => {
      for (let tab = 0; tab < 5; tab += 1) browser.open(0)
      await pass(500)
      browser.host.event()
      await pass(50)
      const { leader } = browser
      const rest = browser.tabs.filter((tab) => tab !== leader)
      end(leader)
      browser.host.event()
      await pass(name === 'is closed' || name === 'is frozen by the browser' ? 500 : 1900)
      complete(browser, rest)
      browser.host.event()
      await pass(50)
      complete(browser, rest)
      assert.ok(rest.every((tab) => tab.requests === 1), 'their streams did not break')
      leader.become({ awake: true, visible: true })
      leader.thaw()
      await pass(3000)
      complete(browser)
      assert.equal(browser.host.streams.size, 1)
    })
  }

  it('find another leader at once when a hidden tab is shown', async () => {
    const first = browser.open(0)
    await pass(300)
    const second = browser.open(0)
    second.become({ visible: false })
    await pass(300)
    browser.crash(first)
    browser.host.event()
    await pass(5000)
    assert.deepEqual(second.seqs, [])
    second.become({ visible: true })
    await pass(500)
    complete(browser)
  })

  it('follow a host that is stopped and started', async () => {
    for (let tab = 0; tab < 5; tab += 1) browser.open(0)
    await pass(500)
    browser.host.event()
    await pass(50)
    browser.host.down = true
    browser.host.end(new TypeError('reset'))
    await pass(100)
    assert.ok(browser.tabs.every(({ losses }) => losses.length === 1), 'all learn of it')
    await pass(2000)
    browser.host.event()
    browser.host.down = false
    await pass(2000)
    complete(browser)
    assert.equal(browser.host.streams.size, 1)
    browser.host.end()
    browser.host.event()
    await pass(2000)
    complete(browser)
  })

  it('are each refused by the host itself', async () => {
    browser.host.status = 401
    for (let tab = 0; tab < 3; tab += 1) browser.open(0)
    // A tab waits while better ones try, which here ask again at once.
    const refused = (): boolean => browser.tabs.every(({ refusals }) => refusals > 0)
    for (let waited = 0; waited < 10_000 && !refused(); waited += 100) await pass(100)
    assert.ok(refused())
    browser.host.status = 200
    browser.host.event()
    await pass(2000)
    complete(browser)
  })

  it('ask the host for what the leader does not have, and then share again', async () => {
    for (let event = 0; event < 50; event += 1) browser.host.event()
    browser.open(50)
    await pass(300)
    const late = browser.open(10)
    await pass(300)
    browser.host.event()
    await pass(100)
    complete(browser)
    assert.equal(browser.host.streams.size, 1)
    assert.equal(browser.host.opened, 2)
    browser.host.first = 40
    const lost = browser.open(20)
    await pass(300)
    browser.host.event()
    await pass(100)
    assert.deepEqual(lost.seqs, [51, 52], 'it learns that events are lost')
    assert.equal(lost.resyncs, 1)
    assert.equal(late.requests, 1)
    assert.equal(browser.host.streams.size, 1)
  })

  it('learn from the host that its log went back', async () => {
    for (let event = 0; event < 50; event += 1) browser.host.event()
    for (let tab = 0; tab < 3; tab += 1) browser.open(50)
    await pass(300)
    browser.host.end()
    browser.host.last = 20
    await pass(2000)
    browser.host.event()
    await pass(100)
    for (const tab of browser.tabs) {
      assert.deepEqual(tab.seqs, [20, 21])
      assert.equal(tab.resyncs, 1)
    }
    assert.equal(browser.host.streams.size, 1)
  })

  it('lose and repeat nothing whatever happens to them', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const world = new Browser()
      let state = seed
      const random = (below: number): number => { state = (state * 48_271) % 2_147_483_647; return state % below }
      for (let step = 0; step < 60; step += 1) {
        const running = world.tabs.filter((tab) => !tab.crashed && !tab.ending.signal.aborted)
        const tab = running[random(Math.max(1, running.length))]
        const what = random(12)
        if (running.length < 4 || what === 0) world.open(Math.max(0, world.host.last - random(20)))
        else if (what === 1) tab?.close()
        else if (what === 2 && tab !== undefined) world.crash(tab)
        else if (what === 3) tab?.become({ awake: !tab.awake })
        else if (what === 4 && tab !== undefined) { if (tab.stuck) tab.thaw(); else tab.stuck = true }
        else if (what === 5) tab?.become({ visible: !tab.visible })
        else if (what === 6) world.host.end(random(2) === 0 ? undefined : new TypeError('reset'))
        else if (what === 7) world.host.comment()
        else for (let event = 0; event <= random(5); event += 1) world.host.event()
        await pass(random(4) * 50)
      }
      for (const tab of world.tabs) {
        tab.thaw()
        tab.become({ awake: true, visible: true })
      }
      await pass(4000)
      world.host.event()
      await pass(200)
      try {
        complete(world)
        assert.equal(world.host.streams.size, 1)
      } catch (error) {
        throw new Error(`seed ${String(seed)}`, { cause: error })
      } finally {
        for (const tab of world.tabs) tab.close()
        await pass(50)
      }
    }
  })
})
