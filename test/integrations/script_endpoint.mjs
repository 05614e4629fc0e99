// Endpoints on loopback that speak the APIs of vendors as a script has it: both of OpenAI's that the libraries of the
// frameworks call, and that of Vercel's gateway.
import { once } from 'node:events'
import { createServer } from 'node:http'

/** The number of the model's answers in a conversation. */
const answered = ({ messages = [], input = [] }) => (Array.isArray(input) ? input : []).filter(({ type }) => type === 'function_call').length + messages.filter(({ role }) => role === 'assistant').length

/** A turn in the chat completions API. */
function completion(turn, model) {
  const call = turn.call && { id: turn.call.id, type: 'function', function: { name: turn.call.name, arguments: JSON.stringify(turn.call.args) } }
  const chunk = (delta, reason = null) => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: reason }] })
  return {
    whole: { id: 'c', object: 'chat.completion', created: 1, model, choices: [{ index: 0, finish_reason: call ? 'tool_calls' : 'stop', message: call ? { role: 'assistant', content: null, tool_calls: [call] } : { role: 'assistant', content: turn.words.join('') } }] },
    parts: [
      ...(call ? [chunk({ role: 'assistant', tool_calls: [{ index: 0, ...call }] })] : turn.words.map((content) => chunk({ role: 'assistant', content }))),
      chunk({}, call ? 'tool_calls' : 'stop'), '[DONE]',
    ],
  }
}

/** A turn in the responses API. */
function response(turn, model) {
  const item = turn.call
    ? { id: 'i', type: 'function_call', call_id: turn.call.id, name: turn.call.name, arguments: JSON.stringify(turn.call.args), status: 'completed' }
    : { id: 'i', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: turn.words.join(''), annotations: [] }] }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } }
  const whole = { id: 'r', object: 'response', created_at: 1, model, status: 'completed', output: [item], usage, error: null, tools: [] }
  const deltas = (turn.words ?? []).map((delta) => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'i', delta }))
  return {
    whole,
    parts: [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } }, { type: 'response.output_item.added', output_index: 0, item },
      ...deltas, { type: 'response.output_item.done', output_index: 0, item }, { type: 'response.completed', response: whole },
    ].map((part, place) => ({ ...part, sequence_number: place })),
  }
}

/** The parts of a turn in the format of Vercel's gateway. */
function gatewayParts({ call, words = [] }) {
  return [
    { type: 'stream-start', warnings: [] },
    ...(call ? [{ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: JSON.stringify(call.args) }] : []),
    { type: 'text-start', id: 't' }, ...words.map((delta) => ({ type: 'text-delta', id: 't', delta })), { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: { unified: call ? 'tool-calls' : 'stop', raw: undefined }, usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } },
  ]
}

/** Starts a server that answers requests with the JSON returned by a function. */
async function serve(answer) {
  const server = createServer(async (request, reply) => {
    let body = ''
    for await (const text of request) body += String(text)
    answer(request, JSON.parse(body === '' ? '{}' : body), reply)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${server.address().port}`, end: () => { server.closeAllConnections(); server.close() } }
}

/** Starts an endpoint that acts as Vercel's gateway to models of one name, for callers with a key. */
export async function startGateway({ turns, model, key }) {
  return serve(({ url, headers }, { prompt = [] }, reply) => {
    if (url !== '/language-model' || headers.authorization !== `Bearer ${key}` || headers['ai-language-model-id'] !== model) return reply.writeHead(404).end('{}')
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of gatewayParts(turns[prompt.filter(({ role }) => role === 'assistant').length % turns.length])) reply.write(`data: ${JSON.stringify(part)}\n\n`)
    reply.end()
  })
}

/** Starts an endpoint; `turns` are the model's turns. */
export async function startOpenAi({ turns }) {
  const { url, end } = await serve((request, asked, reply) => {
    const say = { '/v1/chat/completions': completion, '/v1/responses': response }[request.url]
    if (say === undefined) return reply.writeHead(404).end('{}')
    const { whole, parts } = say(turns[answered(asked) % turns.length], asked.model)
    if (asked.stream !== true) return reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole))
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) reply.write(`${part.type === undefined ? '' : `event: ${part.type}\n`}data: ${typeof part === 'string' ? part : JSON.stringify(part)}\n\n`)
    reply.end()
  })
  return { url: `${url}/v1`, end }
}
