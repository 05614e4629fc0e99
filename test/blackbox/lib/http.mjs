// One HTTP exchange, with nothing added to what the caller says.

import { Agent, request } from 'node:http'
import { once } from 'node:events'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

async function bytesOf(message) {
  const chunks = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

// exchange sends a request to a port and reads its whole reply. A body that is a
// list of chunks goes out without a content-length.
export async function exchange(url, { method, headers, body, port }) {
  const outgoing = request(url, { method, port, headers: { host: url.host, ...headers }, agent })
  const answered = once(outgoing, 'response')
  if (Array.isArray(body)) for (const chunk of body) outgoing.write(chunk)
  else if (body !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(body))
  outgoing.end(Array.isArray(body) ? undefined : body)
  const [incoming] = await answered
  return { status: incoming.statusCode, headers: incoming.headers, text: (await bytesOf(incoming)).toString('utf8') }
}
