import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { FrameError, canonicalJson } from '../src/index.js'
import { Transport } from '../src/http/transport.js'
import { type Frame, FrameParser } from '../src/stream/frames.js'
import { type Signal, Stream } from '../src/stream/stream.js'
import { type Random, below, oneOf, random, someJsonText, someText } from './random.js'
import { repository } from './repository.js'

const encoder = new TextEncoder()

/** Cuts a body into pieces: single bytes, or pieces of random size. */
function pieces(next: Random, body: Uint8Array): Uint8Array[] {
  const size = oneOf(next, 1, 2, 7, 4096)
  const cut: Uint8Array[] = []
  for (let at = 0; at < body.length; ) {
    const end = at + (size === 1 ? 1 : 1 + below(next, size))
    cut.push(body.slice(at, end))
    at = end
  }
  return cut
}

/** Returns the `fetch` of a host that sends one event stream, in pieces. */
function host(cut: readonly Uint8Array[]): typeof fetch {
  return async (input) => {
    await Promise.resolve()
    const address = input instanceof Request ? input.url : input.toString()
    if (!address.includes('/events')) return Response.json({ sid: 's', rev: 1, seq: 1, capabilities: ['resume'] })
    const left = cut[Symbol.iterator]()
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const { done, value } = left.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

/** Returns this client's reports about a stream until its end, in the form of test/answers/streams.go. */
async function reported(cut: readonly Uint8Array[]): Promise<string[]> {
  const transport = new Transport({ baseUrl: 'http://127.0.0.1:9', fetch: host(cut) })
  const ending = new AbortController()
  const stream = new Stream(transport, { inline: false, signal: ending.signal })
  const all: string[] = []
  for (;;) {
    const signal = await stream.next()
    assert.ok(signal)
    if (signal.type === 'lost') {
      ending.abort()
      return [...all, end(signal)]
    }
    if (signal.type === 'cursor') all.push(`cursor ${signal.cursor}`)
    if (signal.type === 'event') {
      const { kind, seq, data } = signal.event
      all.push(`event ${kind} ${seq ?? 'nowhere'} ${signal.broken === undefined ? canonicalJson(data) : 'broken'}`)
    }
  }
}

function end({ error }: Extract<Signal, { type: 'lost' }>): string {
  if (error === undefined) return 'end'
  return error instanceof FrameError ? 'broken' : error.message
}

/** Returns a line of a stream, usually a meaningful one. */
function someLine(next: Random, seq: number): string {
  return oneOf(next,
    `id: ${seq}`, `id:${seq}`, `id: ${oneOf(next, '', '0', '007', '-1', '+3', ' 4', '9007199254740991', '9007199254740992', '1e3', 'x\0y', someText(next), '0'.repeat(30) + String(seq), '9'.repeat(300))}`,
    `event: ${oneOf(next, 'k', 'world:interaction', '', 'session:reset', 'session:resync', someText(next))}`, 'event',
    `data: ${someJsonText(next)}`, `data: {"a":${below(next, 9)}}`, `data:{"a":1,`, 'data: "b":2}', 'data', 'data:',
    `: ${someText(next)}`, ':', `retry: ${oneOf(next, '0', '10', 'x', '9'.repeat(40))}`, `${someText(next)}: x`, someText(next), ' data: x', '\uFEFFdata: {}')
}

/** Returns a stream of some blocks with random line endings, sometimes with bytes that are not UTF-8. */
function someStream(next: Random): Uint8Array {
  let seq = below(next, 5)
  let text = oneOf(next, '', '', '\uFEFF', '\uFEFF\uFEFF')
  for (let block = below(next, 8); block >= 0; block--) {
    for (let line = below(next, 5); line >= 0; line--) text += someLine(next, (seq += below(next, 3))) + oneOf(next, '\n', '\r', '\r\n')
    if (next() < 0.9) text += oneOf(next, '\n', '\r\n', '\n\n')
  }
  const bytes = encoder.encode(text)
  if (next() < 0.15 && bytes.length > 0) bytes[below(next, bytes.length)] = oneOf(next, 0xff, 0x80, 0xc3, 0xed, 0x0a, 0x0d)
  return next() < 0.9 ? bytes : bytes.slice(0, below(next, bytes.length + 1))
}

/** Returns the Go client's reports about some streams. */
function answers(bodies: readonly Uint8Array[]): string[][] {
  const lines = execFileSync('go', ['run', './web/sdk/test/answers', 'streams'], {
    cwd: repository, encoding: 'utf8', maxBuffer: 1 << 30, input: bodies.map((body) => `${Buffer.from(body).toString('base64')}\n`).join(''),
  })
  return lines.trimEnd().split('\n').map((line) => JSON.parse(line) as string[])
}

describe('an event stream', () => {
  it('is read as the Go client reads it, however its bytes are split', async () => {
    const next = random(Number(process.env.PLAYCTL_TEST_SEED ?? 13))
    const bodies = Array.from({ length: 3000 }, () => someStream(next))
    const wanted = answers(bodies)
    assert.equal(wanted.length, bodies.length)
    for (const [i, body] of bodies.entries()) {
      assert.deepEqual(await reported(pieces(next, body)), wanted[i], JSON.stringify(new TextDecoder().decode(body)))
    }
    const events = wanted.flat().filter((signal) => signal.startsWith('event'))
    const good = events.filter((signal) => !signal.endsWith('broken'))
    const broken = wanted.filter((signals) => signals.at(-1) === 'broken')
    assert.ok(good.length > 500 && events.length > good.length + 500 && broken.length > 50, `${good.length} of ${events.length} events, ${broken.length} broken streams`)
  })

  it('stays open while the program is busy for longer than a stream may be silent', async () => {
    const cut = ['retry: 9\n\n', 'id: 1\ndata: {}\n\n', 'id: 2\ndata: {}\n\n'].map((text) => encoder.encode(text))
    const transport = new Transport({ baseUrl: 'http://127.0.0.1:9', fetch: host(cut) })
    const ending = new AbortController()
    const stream = new Stream(transport, { inline: false, signal: ending.signal, silenceMs: 20 })
    const types: string[] = []
    while (types.at(-1) !== 'lost') {
      const signal = await stream.next()
      types.push(signal?.type ?? 'ended')
      if (signal?.type === 'event') await new Promise((resolve) => { setTimeout(resolve, 60) })
      if (signal?.type === 'lost') assert.equal(signal.error, undefined)
    }
    ending.abort()
    assert.deepEqual(types.filter((type) => type !== 'cursor'), ['connecting', 'open', 'event', 'event', 'lost'])
  })

  it('may be slow and endless, within its memory limits', () => {
    const parser = new FrameParser(1000)
    const comment = encoder.encode(`: ${'x'.repeat(500)}\n`)
    const frames: Frame[] = []
    for (let i = 0; i < 100; i++) for (const byte of comment) parser.push(Uint8Array.of(byte), frames)
    parser.push(encoder.encode(`data: ${'d'.repeat(900)}\n\n`), frames)
    assert.deepEqual(frames.map((frame) => frame.data?.length), [900])
    parser.push(encoder.encode('retry: 0\n'), frames)
    assert.equal(parser.retryMs, 0)
    const long = encoder.encode('data: 0123456789\n')
    assert.throws(() => { for (let i = 0; i < 100; i++) parser.push(long, frames) }, FrameError)
    assert.throws(() => { new FrameParser(1000).push(new Uint8Array(1001), frames) }, FrameError)
  })
})

describe('a stream that ends before its cursor', () => {
  it('does not count as a connection, and is retried after the time that it states', async () => {
    const asked: (string | null)[] = []
    const answers = ['retry: 300\n\n', 'retry: 0\n', '', 'retry: 300\n\n:\n\nid: 7\n\n']
    const fetching: typeof fetch = async (input, init) => {
      await Promise.resolve()
      const request = new Request(input, init)
      if (!request.url.includes('/events')) return Response.json({ sid: 's', rev: 1, seq: 1, capabilities: ['resume'] })
      asked.push(request.headers.get('last-event-id'))
      return new Response(answers[asked.length - 1], { headers: { 'content-type': 'text/event-stream' } })
    }
    const ending = new AbortController()
    const stream = new Stream(new Transport({ baseUrl: 'http://127.0.0.1:9', fetch: fetching }), { inline: false, after: 7, signal: ending.signal })
    const reported: string[] = []
    const waits: number[] = []
    while (asked.length < answers.length || reported.at(-1) !== 'lost') {
      const signal = await stream.next()
      assert.ok(signal)
      reported.push(signal.type)
      if (signal.type !== 'lost') continue
      assert.equal(signal.error, undefined)
      waits.push(signal.retryAt - Date.now())
    }
    ending.abort()
    assert.deepEqual(reported, ['connecting', 'lost', 'connecting', 'lost', 'connecting', 'lost', 'connecting', 'open', 'cursor', 'lost'])
    assert.deepEqual(asked, ['7', '7', '7', '7'])
    for (const [i, least] of [300, 100, 100].entries()) assert.ok((waits[i] ?? 0) > least - 20, `it waited ${waits[i]} ms`)
  })
})

describe('a stream that is aborted while it waits', () => {
  // This happens in Deno at times, and would make a program's `close` wait forever.
  it('ends even if its pending read never ends', async () => {
    const ending = new AbortController()
    const fetching: typeof fetch = async (input) => {
      await Promise.resolve()
      const address = input instanceof Request ? input.url : input.toString()
      if (!address.includes('/events')) return Response.json({ sid: 's', rev: 1, seq: 1, capabilities: ['resume'] })
      const first = [encoder.encode(':\n\nid: 7\n\n')]
      const reader = {
        read: async () => {
          const value = first.shift()
          if (value !== undefined) return { value, done: false }
          setImmediate(() => { ending.abort() })
          return new Promise(() => undefined)
        },
        cancel: async () => Promise.resolve(),
      }
      const response = new Response('', { headers: { 'content-type': 'text/event-stream' } })
      Object.defineProperty(response, 'body', { value: { getReader: () => reader } })
      return response
    }
    const stream = new Stream(new Transport({ baseUrl: 'http://127.0.0.1:9', fetch: fetching }), { inline: false, signal: ending.signal })
    const reported: string[] = []
    for (let signal = await stream.next(); signal !== undefined; signal = await stream.next()) reported.push(signal.type)
    assert.deepEqual(reported, ['connecting', 'open', 'cursor'])
  })

  it('may be closed at any moment after it has connected', async () => {
    for (let turns = 0; turns < 40; turns++) {
      let pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void = () => undefined
      const pulled = new Promise<ReadableStreamDefaultController<Uint8Array>>((resolve) => { pull = resolve })
      const fetching: typeof fetch = async (input) => {
        await Promise.resolve()
        const address = input instanceof Request ? input.url : input.toString()
        if (!address.includes('/events')) return Response.json({ sid: 's', rev: 1, seq: 1, capabilities: ['resume'] })
        return new Response(new ReadableStream<Uint8Array>({ pull: (controller) => { pull(controller) } }, { highWaterMark: 0 }), { headers: { 'content-type': 'text/event-stream' } })
      }
      const ending = new AbortController()
      const stream = new Stream(new Transport({ baseUrl: 'http://127.0.0.1:9', fetch: fetching }), { inline: false, signal: ending.signal })
      assert.equal((await stream.next())?.type, 'connecting')
      const opened = stream.next()
      const controller = await pulled
      controller.enqueue(encoder.encode('id: 7\n\n'))
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      stream.close()
      ending.abort()
      await opened
    }
  })
})
