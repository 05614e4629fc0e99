// A small agent: it answers chat and the tool assist_add, and records a journey
// for each answer, until it is interrupted. README.md says where its account
// comes from.
import { connect, tool } from '@playctl/sdk'

const integer = { type: 'integer' } as const

const world = await connect()
const interrupted = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
})
try {
  const tess = await world.agent('Tess', {
    chat: ({ text }) => `You said: ${text}`,
    tools: {
      add: tool({
        description: 'Adds two numbers',
        input: { type: 'object', properties: { a: integer, b: integer }, required: ['a', 'b'] },
        run: ({ a, b }) => String(a + b),
      }),
    },
    record: true,
  })
  console.log(`${tess.name} is on the map as ${tess.id}: Ctrl-C removes it`)
  await interrupted
} finally {
  await world.close()
}
