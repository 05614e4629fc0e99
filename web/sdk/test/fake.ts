import { type ClientOptions, RemotePlayWorld, type RemotePlayWorldOptions, capabilities, createClient, frameworkRegistration, noRetry } from '../src/index.js'
import type { WorldClient } from '../src/index.js'
import { Reports } from './host.js'

const encoder = new TextEncoder()

/** A request that a fake host received. */
export interface ReceivedRequest {
  /** The path after the service name, or the operation of an rpc. */
  readonly route: string
  readonly url: URL
  readonly headers: Headers
  readonly payload: Record<string, unknown>
  readonly signal: AbortSignal | undefined
}

/** Returns the response to a request, or undefined for the default one. */
export type Answering = (received: ReceivedRequest) => Promise<Response> | Response | undefined

/** A host in place of `fetch`, for responses that a real host never sends, or not at the time that a test needs them. */
export class FakeHost {
  readonly requests = new Reports<ReceivedRequest>()
  /** The open streams. */
  readonly streams = new Set<ReadableStreamDefaultController<Uint8Array>>()

  constructor(public answering: Answering = () => undefined) {}

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const text = await request.text()
    init?.signal?.throwIfAborted()
    const body = (text === '' ? {} : JSON.parse(text)) as { op?: string; payload?: Record<string, unknown> }
    const route = body.op ?? url.pathname.replace(/^\/api(?:\/(?:play|agent-play))?/u, '')
    const received = { route, url, headers: request.headers, payload: body.payload ?? body, signal: init?.signal ?? undefined }
    this.requests.add(received)
    return this.answering(received) ?? this.#defaultReply(received)
  }

  #defaultReply(received: ReceivedRequest): Response {
    switch (received.route) {
      case '/session': return Response.json({ sid: 's', rev: 1, seq: 5, capabilities })
      case '/players': return Response.json({ playerId: received.payload.agentId, registeredAgent: {}, leaseTtlSeconds: 45 })
      case '/nodes/agent-node': return Response.json({ agentId: received.payload.nodeId ?? 'a' })
      case '/events': return this.stream(received)
      default: return Response.json({ ok: true })
    }
  }

  /** Returns a stream that begins after a position and continues until its request ends. */
  stream({ signal }: ReceivedRequest, first = ':\n\nid: 5\n\n'): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(encoder.encode(first))
        this.streams.add(controller)
        signal?.addEventListener('abort', () => {
          if (this.streams.delete(controller)) controller.error(signal.reason)
        })
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  /** Sends a frame to all streams. */
  send(text: string): void {
    for (const controller of this.streams) controller.enqueue(encoder.encode(text))
  }

  /** Sends a person's command to an agent. */
  ask(agentId: string, requestId = 'r', seq = 6): void {
    const command = { requestId, mainNodeId: 'm', fromPlayerId: '__human__', toPlayerId: agentId, kind: 'chat', text: 'hi' }
    const data = { ...command, fromPlayerId: agentId, toPlayerId: '__human__', status: 'forwarded', ts: '', command }
    this.send(`id: ${seq}\nevent: world:intercom\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Sends the event that a command to an agent was answered. */
  answered(agentId: string, requestId: string, seq: number): void {
    const data = { requestId, mainNodeId: 'm', fromPlayerId: agentId, toPlayerId: '__human__', kind: 'chat', status: 'failed', ts: '' }
    this.send(`id: ${seq}\nevent: world:intercom\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Returns a client of this host without retries. */
  client(options: Partial<ClientOptions> = {}): WorldClient {
    return createClient({ baseUrl: 'http://127.0.0.1:9', retry: noRetry, fetch: this.fetch, ...options })
  }

  /** Returns a world of this host without accounts and retries. */
  world(options: Partial<RemotePlayWorldOptions> = {}): RemotePlayWorld {
    return new RemotePlayWorld({ baseUrl: 'http://127.0.0.1:9', apiKey: 'none', retry: noRetry, fetch: this.fetch, onWarning: () => undefined, ...options })
  }
}

/** The registration of the tests' agents. */
export const chats = frameworkRegistration('test', ['chat_tool'])

/** Refuses the caller of a request permanently. */
export function refused(code = 'credentials_invalid'): Response {
  return Response.json({ error: 'no such node', code }, { status: 401 })
}

/** Sends no response, and rejects when the request ends. */
export async function silence({ signal }: ReceivedRequest): Promise<Response> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => { reject(signal.reason as Error) })
  })
}

/** Waits for a number of turns of the event loop, so that everything that waits for no timer continues. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => { setImmediate(resolve) })
}
