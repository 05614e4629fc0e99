// Answers questions, which come as JSON objects, one on a line of standard input.
import { createInterface } from 'node:readline'

const tools = {
  assist_count: ({ text = '' }) => {
    const words = text.split(/\s+/u).filter((word) => word !== '').length
    return { message: `It has ${words} words.`, result: { words } }
  },
}

/** Gives the end of an answer: message, result, or both. What it throws is the answer that it failed. */
async function answer({ id, kind, text, toolName, args = {} }) {
  if (kind === 'assist') return tools[toolName](args)
  send({ id, part: 'You said: ' }) // a part, shown while the rest comes
  send({ id, part: text })
  return {}
}

function send(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line)
  if (question.cancel) continue // nobody waits for that answer any more
  answer(question).then(
    (end) => { send({ id: question.id, ...end }) },
    (error) => { send({ id: question.id, error: String(error) }) },
  )
}
