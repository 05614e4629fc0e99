import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ActivityOptions, type Agent, ClosedError, JourneyRecorder } from '../src/index.js'
import { journeyHooks } from '../src/claude/index.js'
import { journeyCallbacks } from '../src/langchain/index.js'
import { beginRun } from '../src/tools/activity.js'

/** An agent that only notes what it is told to show, one line each. */
function showing() {
  const lines: string[] = []
  const show = (state: string, text = '', { toolName = '', usage = {} }: ActivityOptions = {}): void => {
    lines.push([state, text, toolName, Object.values(usage).join('/')].join(' ').trim().replaceAll(/ +/gu, ' '))
  }
  const agent = {
    show, showStarter: () => undefined, playerId: 'ada',
    recordJourney: async () => Promise.resolve({ ok: true }),
  } as unknown as Agent
  return { lines, agent }
}

class SecretError extends Error {}

describe('a run in the row of its agent', () => {
  it('shows the newest tool that is running, and counts calls and failures', () => {
    const { lines, agent } = showing()
    const run = beginRun(agent)
    run.called('a', 'read')
    run.called('b', 'edit')
    run.ended('b', true)
    run.ended('b', true)
    run.ended('a', false)
    run.used({ inputTokens: 12, outputTokens: 3 })
    run.done()
    run.failed(new Error('too late'))
    assert.deepEqual(lines, ['working 0/0', 'working read 0/0', 'working edit 0/0', 'working read 1/1', 'working 2/1', 'working 12/3/2/1', 'done 12/3/2/1'])
  })

  it('waits for a person as long as a call waits', () => {
    const { lines, agent } = showing()
    const run = beginRun(agent)
    run.called('a', 'read')
    run.waits('p', 'pay')
    run.ended('a', false)
    run.answered('p')
    run.waits('question')
    run.answered()
    assert.deepEqual(lines.slice(2), ['waiting Approve pay pay 0/0', 'waiting Approve pay pay 1/0', 'working 1/0', 'waiting Waits for an answer 1/0', 'working 1/0'])
  })

  it('goes on waiting after its end, until the next run', () => {
    const { lines, agent } = showing()
    const run = beginRun(agent)
    run.waits('p', 'pay')
    run.done()
    beginRun(agent).done()
    assert.deepEqual(lines.slice(1), ['waiting Approve pay pay 0/0', 'waiting Approve pay pay 0/0', 'working 0/0', 'done 0/0'])
  })

  it('shares the row with other runs, and adds up what they use', () => {
    const { lines, agent } = showing()
    const [one, other] = [beginRun(agent), beginRun(agent)]
    one.called('a', 'read')
    other.called('a', 'edit')
    other.used({ inputTokens: 5 })
    other.failed(new TypeError('secret'))
    one.used({ inputTokens: 2, costUsd: 0.5 })
    one.done()
    beginRun(agent)
    assert.deepEqual(lines.slice(2), ['working read 0/0', 'working edit 0/0', 'working edit 5/0/0', 'working read 5/0/0', 'working read 7/0.5/0/0', 'done 7/0.5/0/0', 'working 0/0'])
  })

  it('shows the type of an error only', () => {
    const { lines, agent } = showing()
    const named = Object.assign(new Error('secret'), { name: 'a secret\nname' })
    for (const error of [new SecretError('secret'), new DOMException('secret', 'AbortError'), named, 'secret', undefined]) beginRun(agent).failed(error)
    assert.deepEqual(lines.filter((line) => line.startsWith('failed')), ['failed SecretError 0/0', 'failed AbortError 0/0', 'failed Error 0/0', 'failed Error 0/0', 'failed Error 0/0'])
  })

  it('does not fail because the agent has left', () => {
    const agent = { showStarter: () => undefined, show: () => { throw new ClosedError() } } as unknown as Agent
    beginRun(agent).called('a', 'read')
  })
})

describe('the steps of a journey', () => {
  it('have their times, their error and what the run used', () => {
    const journey = new JourneyRecorder('Hello')
    journey.call('read', {}, 'a')
    journey.failed('a', new Error('no such file'))
    journey.call('edit', {}, 'b', null)
    journey.result('b', 'done', null)
    journey.uses({ inputTokens: 2 })
    journey.uses({ inputTokens: 3, outputTokens: 1 })
    const { startedAt, completedAt, steps: [origin, read, edit, end] } = journey.to('Bye')
    assert.deepEqual([origin?.startedAt, origin?.completedAt, end?.startedAt, end?.completedAt], [startedAt, undefined, undefined, completedAt])
    assert.deepEqual(end?.usage, { inputTokens: 5, outputTokens: 1 })
    assert.equal(read?.error, 'no such file')
    assert.ok(read.startedAt !== undefined && read.completedAt !== undefined && startedAt <= read.startedAt && read.startedAt <= read.completedAt)
    assert.deepEqual([edit?.startedAt, edit?.completedAt, edit?.error], [undefined, undefined, undefined])
  })
})

describe('runs that a program starts itself', () => {
  /** Calls hooks of Claude as the SDK does. */
  const hooked = (agent: Agent, options = {}) => {
    const hooks = journeyHooks(agent, options)
    return async (event: string, more: object = {}) => {
      for (const matcher of hooks[event] ?? []) for (const hook of matcher.hooks) await hook({ session_id: 's', hook_event_name: event, ...more } as never, undefined, {} as never)
    }
  }

  it('show the permissions and questions of Claude', async () => {
    const { lines, agent } = showing()
    const event = hooked(agent)
    const pay = { tool_name: 'pay', tool_use_id: 'p' }
    await event('UserPromptSubmit', { prompt: 'Pay' })
    await event('PreToolUse', pay)
    await event('PermissionRequest', pay)
    await event('PostToolUse', { ...pay, tool_response: 'paid' })
    await event('Notification', { notification_type: 'idle_prompt' })
    await event('Notification', { notification_type: 'elicitation_dialog' })
    await event('ElicitationResult')
    await event('Stop', { last_assistant_message: 'Paid.' })
    await event('SessionEnd')
    const changes = lines.filter((line, i) => line !== lines[i - 1])
    assert.deepEqual(changes, ['working 0/0', 'working pay 0/0', 'waiting Approve pay pay 0/0', 'working pay 0/0', 'working 1/0', 'waiting Waits for an answer 1/0', 'working 1/0', 'done 1/0'])
  })

  it('show how a session of Claude ended', async () => {
    for (const [end, line] of [['StopFailure', 'failed Error 0/0'], ['SessionEnd', 'failed AbortError 0/0']] as const) {
      const { lines, agent } = showing()
      const event = hooked(agent)
      await event('UserPromptSubmit', { prompt: 'Pay' })
      await event(end)
      assert.deepEqual(lines.at(-1), line)
    }
    const { lines, agent } = showing()
    await hooked(agent, { activity: false })('UserPromptSubmit', { prompt: 'Pay' })
    assert.deepEqual(lines, [])
  })

  it('show what models of LangChain used, and the interrupts of a graph', async () => {
    const { lines, agent } = showing()
    const callbacks = journeyCallbacks(agent)
    callbacks.handleChainStart({}, {}, 'root')
    callbacks.handleLLMEnd({ generations: [[{ message: { usage_metadata: { input_tokens: 3, output_tokens: 1 } } }]] }, 'm', 'root')
    callbacks.handleLLMEnd({ llmOutput: { tokenUsage: { promptTokens: 4, completionTokens: 2 } } }, 'n', 'root')
    callbacks.handleLLMEnd(undefined, 'o', 'root')
    callbacks.handleToolStart({}, '{}', 't', 'root', [], {}, 'pay')
    const interrupt = Object.assign(new Error('secret'), { name: 'GraphInterrupt', interrupts: [{ value: 'secret' }] })
    callbacks.handleToolError(interrupt, 't')
    await callbacks.handleChainError(interrupt, 'node', 'root')
    await callbacks.handleChainEnd({}, 'root')
    const changes = lines.filter((line, i) => line !== lines[i - 1])
    assert.deepEqual(changes, ['working 0/0', 'working 3/1/0/0', 'working 7/3/0/0', 'working pay 7/3/0/0', 'working 7/3/0/0', 'waiting Approve pay pay 7/3/0/0'])
  })
})
