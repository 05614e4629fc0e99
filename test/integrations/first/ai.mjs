import { ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'

const weatherAgent = new ToolLoopAgent({
  model: 'openai/gpt-5-mini',
  tools: {
    get_weather: tool({
      description: 'Get the weather in a location (in Fahrenheit)',
      inputSchema: z.object({ city: z.string().describe('The location to get the weather for') }),
      execute: async ({ city }) => ({ city, temperature: 72 }),
    }),
  },
})

const result = await weatherAgent.generate({ prompt: 'What is the weather in San Francisco in celsius?' })
console.log(result.text)
