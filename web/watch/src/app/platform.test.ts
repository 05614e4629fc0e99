import assert from 'node:assert/strict'
import { it } from 'node:test'
import { markOf } from './platform.js'

it('known platforms have different marks', () => {
  const marks = ['ai-sdk', 'claude-agent-sdk', 'go', 'langchain', 'mcp', 'openai-agents', 'opentelemetry', 'playctl', 'python', 'typescript'].map((name) => markOf(name)?.letters)
  assert.equal(new Set(marks).size, marks.length)
  assert.deepEqual(markOf(' LangChain '), { letters: 'LC', tone: 'leaf' })
})

it('an unknown platform has constant letters from its name', () => {
  assert.deepEqual(['crewai', 'pydantic-ai', 'x', '日本', '🎈', '', '  '].map((name) => markOf(name)?.letters), ['Cr', 'PA', 'X', '日本', undefined, undefined, undefined])
  assert.deepEqual(markOf('crewai'), markOf('CrewAI'))
  assert.equal(markOf('ß'.repeat(100_000))?.letters, 'SSß')
})
