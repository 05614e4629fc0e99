import { type IncomingMessage, type Server, type ServerResponse, createServer, request } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** Stands between a client and a real host, changes what it says, and cuts its streams. */
export class Meddler {
  url = ''
  /** Changes the text of event streams; absent for none. */
  change: ((text: string) => string) | undefined
  #cut: number | undefined
  readonly #server: Server

  private constructor(readonly target: string) {
    this.#server = createServer((from, to) => { this.#pass(from, to) })
  }

  static async before(target: string): Promise<Meddler> {
    const meddler = new Meddler(target)
    meddler.#server.listen(0, '127.0.0.1')
    await once(meddler.#server, 'listening')
    meddler.url = `http://127.0.0.1:${(meddler.#server.address() as AddressInfo).port}`
    return meddler
  }

  /** Cuts the streams once that many further bytes of one have passed. */
  cutAfter(bytes: number): void {
    this.#cut = bytes
  }

  #pass(from: IncomingMessage, to: ServerResponse): void {
    const onward = request(this.target + (from.url ?? ''), { method: from.method, headers: from.headers }, (reply) => {
      to.writeHead(reply.statusCode ?? 502, reply.headers)
      to.flushHeaders()
      const stream = reply.headers['content-type']?.includes('event-stream') === true
      if (stream) reply.on('data', (piece: Buffer) => { this.#piece(piece, reply, to) }).on('end', () => { to.end() })
      else reply.pipe(to)
      reply.on('error', () => { to.destroy() })
      to.on('close', () => { reply.destroy() })
    })
    onward.on('error', () => { to.destroy() })
    from.pipe(onward)
  }

  #piece(piece: Buffer, reply: IncomingMessage, to: ServerResponse): void {
    const text = this.change === undefined ? piece : Buffer.from(this.change(piece.toString()))
    if (this.#cut === undefined || this.#cut > text.length) {
      if (this.#cut !== undefined) this.#cut -= text.length
      to.write(text)
      return
    }
    to.write(text.subarray(0, this.#cut), () => {
      to.destroy()
      reply.destroy()
    })
    this.#cut = undefined
  }

  /** Ends it with all that goes through it. */
  async end(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
