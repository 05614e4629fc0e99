// An agent of LangChain that books tables. With OPENAI_API_KEY set a model answers, else a script does.
import { once } from 'node:events'
import process from 'node:process'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'
import { connect } from '@playctl/sdk'
import { fromLangChain } from '@playctl/sdk/langchain'
import { Scripted } from './scripted.mjs'

const book = tool(({ day, people }) => `booked ${people} on ${day}`, {
  name: 'book', description: 'Books a table', schema: z.object({ day: z.enum(['friday', 'saturday']), people: z.number().int().min(1) }),
})
const model = process.env.OPENAI_API_KEY === undefined ? new Scripted({}) : 'openai:gpt-5-mini'
const agent = createAgent({ model, tools: [book], systemPrompt: 'You book tables of a restaurant. Answer in one sentence.' })

const world = await connect()
await world.agent('Ada', fromLangChain(agent))

console.log('Ada is on the map: Ctrl-C removes it')
await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)))
await world.close()
