// An agent of the Vercel AI SDK that books tables. With AI_GATEWAY_API_KEY set a model answers, else a script does.
import { once } from 'node:events'
import process from 'node:process'
import { ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'
import { connect } from '@playctl/sdk'
import { fromAiSdk } from '@playctl/sdk/ai'
import { scripted } from './scripted.mjs'

const book = tool({
  description: 'Books a table', inputSchema: z.object({ day: z.enum(['friday', 'saturday']), people: z.number().int().min(1) }),
  execute: async ({ day, people }) => `booked ${people} on ${day}`,
})
const model = process.env.AI_GATEWAY_API_KEY === undefined ? scripted() : 'openai/gpt-5-mini'
const agent = new ToolLoopAgent({ model, tools: { book }, instructions: 'You book tables of a restaurant. Answer in one sentence.' })

const world = await connect()
await world.agent('Ada', fromAiSdk(agent))

console.log('Ada is on the map: Ctrl-C removes it')
await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)))
await world.close()
