// An agent of OpenAI's Agents SDK that books tables. With OPENAI_API_KEY set a model answers, else a script does.
import process from 'node:process'
import { Agent, run, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'
import { connect } from '@playctl/sdk'
import { fromOpenAiAgents } from '@playctl/sdk/openai-agents'
import { scripted } from './scripted.mjs'

// What the agent does is recorded in the world; without this line OpenAI gets a trace of it as well.
setTracingDisabled(true)
const book = tool({
  name: 'book', description: 'Books a table', parameters: z.object({ day: z.enum(['friday', 'saturday']), people: z.number().int().min(1) }),
  execute: async ({ day, people }) => `booked ${people} on ${day}`,
})
const model = process.env.OPENAI_API_KEY === undefined ? scripted() : 'gpt-5-mini'
const agent = new Agent({ name: 'Ada', model, tools: [book], instructions: 'You book tables of a restaurant. Answer in one sentence.' })

const world = await connect()
await world.agent('Ada', fromOpenAiAgents(agent, { run }))

console.log('Ada is on the map: Ctrl-C removes it')
// OpenAI's SDK ends the program at a signal unless somebody else still listens.
await new Promise((resolve) => { for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, resolve) })
await world.close()
