import { type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse, createServer, request } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Reports } from './host.js'

/** A JSON object that may be changed. */
export type Changeable = Record<string, unknown>

/** A call of an operation that was forwarded to the host. */
export interface ForwardedCall {
  readonly op: string
  readonly payload: Changeable
  readonly headers: IncomingHttpHeaders
}

/** A proxy between a client and a real host, which changes replies and closes streams of the host. */
export class RewritingProxy {
  url = ''
  /** Changes an event stream, a number of complete frames at a time; undefined for no change. */
  change: ((text: string) => string) | undefined
  /** Changes the reply of the session route. */
  session: ((reply: Changeable) => void) | undefined
  /** Changes the reply of an operation, which is delayed until the change is done. */
  rpc: ((call: ForwardedCall, reply: Changeable) => void | Promise<void>) | undefined
  /** Whether a stream's headers, and the data before its first event, are delayed until that event. */
  withholdsHeaders = false
  /** The operations that were called, in order. */
  readonly calls: ForwardedCall[] = []
  /** The addresses of the streams that the host opened. */
  readonly streams = new Reports<string>()
  /** The largest number of concurrent calls of operations. */
  maxConcurrent = 0
  #concurrent = 0
  #closeAt: number | undefined
  readonly #server: Server

  private constructor(readonly target: string) {
    this.#server = createServer((from, to) => {
      this.#pass(from, to).catch(() => { to.destroy() })
    })
  }

  static async start(target: string): Promise<RewritingProxy> {
    const proxy = new RewritingProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    proxy.url = `http://127.0.0.1:${(proxy.#server.address() as AddressInfo).port}`
    return proxy
  }

  /** Closes a stream after the given number of further bytes. */
  closeAfter(bytes: number): void {
    this.#closeAt = bytes
  }

  /** Removes capabilities from the host's session reply; all of them if none is named. */
  without(...names: readonly string[]): void {
    this.session = (reply) => {
      reply.capabilities = names.length === 0 ? [] : (reply.capabilities as string[]).filter((name) => !names.includes(name))
    }
  }

  async #pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const body = await textOf(from)
    const path = from.url ?? ''
    const onward = request(this.target + path, { method: from.method, headers: from.headers })
    onward.end(body)
    const [reply] = await once(onward, 'response') as [IncomingMessage]
    reply.on('error', () => { to.destroy() })
    to.on('close', () => { reply.destroy() })
    if (reply.headers['content-type']?.includes('event-stream') === true) {
      this.#stream(reply, to)
      this.streams.add(path)
    } else if (path.includes('/sdk/rpc')) {
      await this.#operation(JSON.parse(body) as ForwardedCall, from, reply, to)
    } else {
      answer(reply, to, rewritten(reply, await textOf(reply), path.includes('/session') ? this.session : undefined))
    }
  }

  async #operation(asked: { op: string; payload: Changeable }, from: IncomingMessage, reply: IncomingMessage, to: ServerResponse): Promise<void> {
    const call = { op: asked.op, payload: asked.payload, headers: from.headers }
    this.calls.push(call)
    this.maxConcurrent = Math.max(this.maxConcurrent, ++this.#concurrent)
    const text = await textOf(reply)
    const object = JSON.parse(text) as Changeable
    if (reply.statusCode === 200) await this.rpc?.(call, object)
    this.#concurrent--
    answer(reply, to, this.rpc === undefined ? text : JSON.stringify(object))
  }

  #stream(reply: IncomingMessage, to: ServerResponse): void {
    let held = this.withholdsHeaders ? '' : undefined
    if (held === undefined) this.#head(reply, to)
    let unfinished = ''
    reply.on('data', (piece: Buffer) => {
      if (held !== undefined) {
        held += piece.toString()
        if (!held.includes('event:')) return
        this.#head(reply, to)
        piece = Buffer.from(held)
        held = undefined
      }
      if (this.change === undefined) {
        this.#piece(Buffer.concat([Buffer.from(unfinished), piece]), reply, to)
        unfinished = ''
        return
      }
      unfinished += piece.toString()
      const end = unfinished.lastIndexOf('\n\n') + 2
      this.#piece(Buffer.from(this.change(unfinished.slice(0, end))), reply, to)
      unfinished = unfinished.slice(end)
    }).on('end', () => { to.end() })
  }

  #head(reply: IncomingMessage, to: ServerResponse): void {
    to.writeHead(reply.statusCode ?? 502, reply.headers)
    to.flushHeaders()
  }

  #piece(text: Buffer, reply: IncomingMessage, to: ServerResponse): void {
    if (this.#closeAt === undefined || this.#closeAt > text.length) {
      if (this.#closeAt !== undefined) this.#closeAt -= text.length
      to.write(text)
      return
    }
    to.write(text.subarray(0, this.#closeAt), () => {
      to.destroy()
      reply.destroy()
    })
    this.#closeAt = undefined
  }

  /** Ends the proxy with all its connections. */
  async end(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

function rewritten(reply: IncomingMessage, text: string, change: ((reply: Changeable) => void) | undefined): string {
  if (change === undefined || reply.statusCode !== 200) return text
  const object = JSON.parse(text) as Changeable
  change(object)
  return JSON.stringify(object)
}

function answer(reply: IncomingMessage, to: ServerResponse, text: string): void {
  const { 'content-length': _length, 'transfer-encoding': _coding, ...headers } = reply.headers
  to.writeHead(reply.statusCode ?? 502, headers).end(text)
}

/** Returns frames as a host of the older service would send them: without an id, and without a rev in their data. */
export function olderFrames(text: string): string {
  return text
    .replaceAll(/^id: .*\n(?:\n)?/gmu, '')
    .replaceAll(/^data: (?<json>.*)$/gmu, (_line, json: string) => {
      const { rev: _rev, ...data } = JSON.parse(json) as Changeable
      return `data: ${JSON.stringify(data)}`
    })
}
