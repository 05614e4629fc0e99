import { query } from '@anthropic-ai/claude-agent-sdk'

for await (const message of query({ prompt: 'What files are in this directory?', options: { allowedTools: ['Glob'] } })) {
  if ('result' in message) console.log(message.result)
}
