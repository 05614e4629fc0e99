// The event stream (protocol, "Events"), read with a parser that is not the host's.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { once } from 'node:events'
import { createParser } from 'eventsource-parser'
import { refuseSecrets } from './client.mjs'
import { check, is, listOf } from './rows.mjs'

const notify = {
  updatedAt: is.time,
  nodes: listOf({ stableKey: is.named, leafIndex: is.count, 'removed?': (v) => v === true, 'updatedAt?': is.time })
}

// readFrame checks what every event owes and gives it with its data parsed.
function readFrame({ id, event, data }) {
  assert.match(id ?? '', /^\d+$/, `event ${event} has no id`)
  refuseSecrets(data, `event ${event}`)
  const fields = JSON.parse(data)
  const { rev, merkleRootHex, merkleLeafCount, playerChainNotify } = fields
  assert.ok(
    is.count(rev) && is.hex(merkleRootHex) && is.count(merkleLeafCount),
    `${event} lacks rev, root or count: ${data}`
  )
  if ('playerChainNotify' in fields) {
    check(playerChainNotify, notify, `${event}.playerChainNotify`)
    assert.ok(playerChainNotify.nodes.length > 0, `${event} has an empty notify`)
  }
  return { id: Number(id), event, data: fields, text: data }
}

export class Stream {
  #frames = []
  #wake = []
  #failure
  ended = false
  last = -1
  comments = []
  raw = ''

  constructor(host, request, response) {
    this.host = host
    this.request = request
    this.status = response.statusCode
    this.headers = response.headers
    const parser = createParser({
      onEvent: (frame) => this.#take(frame),
      onRetry: (value) => (this.retry = value),
      onComment: (text) => this.comments.push(text)
    })
    response.setEncoding('utf8')
    response.on('data', (text) => {
      this.raw += text
      parser.feed(text)
      this.#rouse()
    })
    // A host that is killed cuts the stream: for a subscriber that is an end too.
    const end = () => {
      this.ended = true
      this.#rouse()
    }
    response
      .on('end', () => ((this.clean = true), end()))
      .on('error', end)
      .on('close', end)
  }

  #take(frame) {
    try {
      const event = readFrame(frame)
      assert.ok(event.id > this.last, `id ${event.id} came after ${this.last}`)
      this.last = event.id
      this.host.rev = Math.max(this.host.rev, event.data.rev)
      this.#frames.push(event)
    } catch (error) {
      this.#failure ??= error
    }
  }

  #rouse() {
    for (const wake of this.#wake.splice(0)) wake()
  }

  // when waits until a test of this stream gives something.
  async when(test, what, limit = 20_000) {
    const deadline = Date.now() + limit
    for (;;) {
      if (this.#failure) throw this.#failure
      const found = test()
      if (found !== undefined && found !== false) return found
      assert.ok(Date.now() < deadline, `waited ${limit} ms for ${what}`)
      let timer
      await new Promise((resolve) => {
        this.#wake.push(resolve)
        timer = setTimeout(resolve, deadline - Date.now())
      })
      clearTimeout(timer)
    }
  }

  // cursor is the id of the first frame that is only an id.
  cursor() {
    return this.when(() => {
      const only = /(?:^|\n\n|\n)id: ?(\d+)\n\n/.exec(this.raw)
      return only ? Number(only[1]) : undefined
    }, 'the cursor frame')
  }

  // next gives the next event, which must be of the kind when one is named.
  async next(kind, limit) {
    const event = await this.when(
      () => {
        assert.ok(this.#frames.length > 0 || !this.ended, `the stream ended before ${kind ?? 'an event'}`)
        return this.#frames.shift()
      },
      kind ?? 'an event',
      limit
    )
    if (kind) assert.equal(event.event, kind, event.text)
    return event
  }

  // find drops events until one fits.
  async find(test, limit) {
    for (;;) {
      const event = await this.next(undefined, limit)
      if (test(event)) return event
    }
  }

  // rest waits for the stream's end and gives what was left in it.
  async rest(limit) {
    await this.when(() => this.ended, 'the end of the stream', limit)
    return this.#frames.splice(0)
  }

  close() {
    this.request.destroy()
  }
}

// openStream connects a subscriber; options are those of a call, and
// `lastEventId` for the header.
export async function openStream(host, options = {}) {
  const url = host.url('/events', options)
  const headers = { host: url.host, accept: 'text/event-stream', ...host.headersOf(options) }
  const server = host.next()
  if (options.lastEventId !== undefined) headers['last-event-id'] = String(options.lastEventId)
  else await host.level(server)
  const outgoing = request(url, { method: 'GET', port: server.port, headers, agent: false })
  outgoing.end()
  const [response] = await once(outgoing, 'response')
  outgoing.on('error', () => {})
  const stream = new Stream(host, outgoing, response)
  if (response.statusCode === 200) await stream.cursor()
  return stream
}
