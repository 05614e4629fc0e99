// The required behavior of every framework adapter, as tests: an agent that books a table with three tool calls, one of which fails.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startHost } from './host.mjs'
import { askWhole, closeWhileAsked, golden, observed } from './observed.mjs'

export { book, search, turns } from './script.mjs'

/** The model's text for an agent whose tool waits. */
export const waitingTurns = [{ call: { id: 'w', name: 'wait', args: {} } }, { words: ['done'] }]

/** A tool that waits until the signal of its call is aborted, and then rejects with its reason; `waiting` resolves when it runs and `over` when it ends. */
export function waiter() {
  let begins, ended
  const waiting = new Promise((resolve) => { begins = resolve })
  const over = new Promise((resolve) => { ended = resolve })
  const wait = async (signal) => new Promise((_resolve, reject) => {
    const end = () => {
      ended(signal.reason)
      reject(signal.reason)
    }
    signal.addEventListener('abort', end)
    begins()
    if (signal.aborted) end()
  })
  return { wait, waiting, over }
}

/**
 * The tests of an adapter. `booking(options)` returns the program of an agent whose model follows `turns`,
 * `waits(wait, options)` one with the tool `wait`, `fails(reason, options)` one whose model fails. `free` returns the
 * result of `assist_search`, `refused` matches the answer to a wrong argument. `more` gets a function that returns the
 * host, and adds tests.
 */
export function describeAdapter(title, { file, booking, waits, fails, free = ({ result }) => result.free, more = () => undefined }) {
  describe(title, () => {
    let host, proved
    before(async () => {
      host = await startHost()
      proved = await host.record()
    })
    after(async () => { await host.end() })
    const open = (test) => {
      const world = host.world()
      test.after(async () => world.close())
      return world
    }

    it('is on the map with its forms, streams its answer and records its run', async (test) => {
      const world = open(test)
      const ada = await world.agent('Ada', booking())
      const { answer, streamed } = await askWhole(world, { to: ada.id, text: 'A table for four, please' })
      assert.equal(answer.message, 'Booked for Saturday.')
      assert.equal(streamed, answer.message)
      assert.equal(free(await world.ask({ to: ada.id, tool: 'assist_search', args: { day: 'saturday' } })), 4)
      await assert.rejects(world.ask({ to: ada.id, tool: 'assist_search', args: { day: 'monday' } }), /do not match the tool's parameters: day: /u)
      await ada.say('Saturday is booked.')
      golden(file, await observed(world, ada))
    })

    it('ends a run after its asker stopped waiting', async () => {
      const world = host.world()
      const { wait, waiting, over } = waiter()
      const agent = await world.agent('Bo', waits(wait, { onError: () => undefined }))
      const why = await closeWhileAsked({ host, world, agent, question: { text: 'Wait' }, waiting, over })
      assert.ok(why instanceof Error)
    })

    it('reports failures in detail to the developer and neutrally to the asker', async (test) => {
      const world = open(test)
      const errors = []
      const cy = await world.agent('Cy', fails('a secret reason', { onError: (error) => { errors.push(error.message) } }))
      await assert.rejects(world.ask({ to: cy.id, text: 'Hello' }), (error) => !error.message.includes('secret'))
      assert.match(errors.join(), /a secret reason/u)
    })

    more(open)

    it('produces a recording that replays and verifies', async () => {
      const { ok, events, proved: equal } = await proved()
      assert.ok(ok)
      assert.ok(equal > 0)
      assert.equal(equal, events)
    })
  })
}
