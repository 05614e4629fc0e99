// An endpoint on loopback that speaks OpenAI's APIs as a script has it: both that the libraries of the frameworks call.
import { once } from 'node:events'
import { createServer } from 'node:http'

/** How many answers of the model a conversation has. */
const answered = ({ messages = [], input = [] }) => (Array.isArray(input) ? input : []).filter(({ type }) => type === 'function_call').length + messages.filter(({ role }) => role === 'assistant').length

/** What a turn is in the API of chat completions. */
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

/** What a turn is in the API of responses. */
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

/** Starts an endpoint; `turns` are what the model says. */
export async function startOpenAi({ turns }) {
  const server = createServer(async (request, reply) => {
    let body = ''
    for await (const text of request) body += String(text)
    const asked = JSON.parse(body === '' ? '{}' : body)
    const say = { '/v1/chat/completions': completion, '/v1/responses': response }[request.url]
    if (say === undefined) return reply.writeHead(404).end('{}')
    const { whole, parts } = say(turns[answered(asked) % turns.length], asked.model)
    if (asked.stream !== true) return reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole))
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) reply.write(`${part.type === undefined ? '' : `event: ${part.type}\n`}data: ${typeof part === 'string' ? part : JSON.stringify(part)}\n\n`)
    reply.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${server.address().port}/v1`, end: () => { server.closeAllConnections(); server.close() } }
}
