// An endpoint on loopback that speaks the Messages API as a script has it, in place of one that costs money.
import { once } from 'node:events'
import { createServer } from 'node:http'

/** How many tools were called so far in a conversation: each turn of a script but the last calls one. */
const called = (messages) => messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(({ type }) => type === 'tool_use').length

/** Starts an endpoint; `turns` are what the model says, or a function of a request that returns them, `refusal` is the error that it answers in their place; it answers when the function `when` resolves, also that of a turn. */
export async function startMessages({ turns = [], refusal, when } = {}) {
  let answers = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const text of request) body += String(text)
    if (request.method !== 'POST' || new URL(request.url, 'http://localhost').pathname !== '/v1/messages') return response.writeHead(404).end('{}')
    await when?.()
    if (refusal !== undefined) return response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: refusal } }))
    const asked = JSON.parse(body)
    const script = typeof turns === 'function' ? turns(asked) : turns
    const turn = script[called(asked.messages) % script.length]
    await turn.when?.()
    answers += 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of eventsOf(turn, `message-${answers}`, asked.model)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref() // it does not keep the program going
  return { url: `http://127.0.0.1:${server.address().port}`, end: () => { server.closeAllConnections(); server.close() } }
}

function eventsOf({ call, calls = call === undefined ? [] : [call], words = [] }, id, model) {
  const blocks = calls.length === 0
    ? [{ block: { type: 'text', text: '' }, deltas: words.map((text) => ({ type: 'text_delta', text })) }]
    : calls.map(({ id: callId, name, args }) => ({ block: { type: 'tool_use', id: callId, name, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(args) }] }))
  return [
    { type: 'message_start', message: { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } },
    ...blocks.flatMap(({ block, deltas }, index) => [
      { type: 'content_block_start', index, content_block: block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use', stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]
}
