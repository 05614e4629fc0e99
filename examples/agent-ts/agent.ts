// A small agent: it registers, answers chat and the tool assist_add, and records
// a journey for each answer, until it is interrupted. README.md lists the
// environment variables that say where the host is and who the agent is.
import { type IntercomCall, RemotePlayWorld, frameworkRegistration } from '@playctl/sdk'

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: see README.md`)
  return value
}

/** Carries out one command and records how. */
async function answer({ agent, command }: IntercomCall): Promise<string> {
  const startedAt = new Date().toISOString()
  let question = command.text ?? ''
  let reply = `You said: ${question}`
  if (command.kind === 'assist' && command.toolName === 'assist_add') {
    const { a, b } = command.args ?? {}
    if (!Number.isInteger(a) || !Number.isInteger(b)) throw new Error('a and b must be whole numbers')
    question = `How much is ${String(a)} and ${String(b)}?`
    reply = String(Number(a) + Number(b))
  } else if (command.kind !== 'chat') {
    throw new Error('this agent answers chat and assist_add only')
  }
  await agent.recordJourney({
    startedAt,
    completedAt: new Date().toISOString(),
    steps: [
      { type: 'origin', content: question, messageId: `${command.requestId}.q` },
      { type: 'destination', content: reply, messageId: `${command.requestId}.a` },
    ],
  })
  return reply
}

const integer = { type: 'integer' }
const tools = frameworkRegistration('typescript', [
  'chat_tool',
  {
    name: 'assist_add',
    description: 'Adds two numbers',
    parameters: { type: 'object', properties: { a: integer, b: integer }, required: ['a', 'b'] },
  },
])

const world = new RemotePlayWorld({
  baseUrl: setting('PLAYCTL_SERVER'),
  apiKey: setting('PLAYCTL_API_KEY'),
  mainNodeCredentials: { nodeId: setting('PLAYCTL_NODE_ID'), phrase: setting('PLAYCTL_PHRASE') },
})
const interrupted = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
})
try {
  const commands = await world.subscribeIntercomCommands({ execute: answer, onError: (error) => { console.error(error.message) } })
  await commands.ready
  await world.addAgent({ name: 'Tess', agent: tools, credentials: { nodeId: setting('AGENT_NODE_ID'), phrase: setting('AGENT_PHRASE') } })
  await interrupted
} finally {
  await world.close()
}
