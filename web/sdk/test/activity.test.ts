import assert from 'node:assert/strict'
import { type TestContext, after, before, describe, it } from 'node:test'
import { type Agent, ClosedError, OptionError, PlayError, RemotePlayWorld, UnreachableError, type WorldEvent, type WorldUpdate, capabilities, createClient, isEvent, pastEvents } from '../src/index.js'
import { type ActivityReport, ActivitySender } from '../src/world/activity.js'
import { FakeHost, type ReceivedRequest, chats, turns } from './fake.js'
import { Host, Reports } from './host.js'

/** A sender with a clock of its own. */
class Sent {
  /** What was sent, each with its time in seconds and its text. */
  readonly all: string[] = []
  readonly warnings: string[] = []
  readonly reports: ActivityReport[] = []
  takes = true
  /** The errors of the next attempts. */
  errors: Error[] = []
  #now = 0
  readonly sender: ActivitySender

  constructor(readonly test: TestContext) {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    this.sender = new ActivitySender({
      takes: () => this.takes, now: () => this.#now, warn: (text) => { this.warnings.push(text) },
      send: async (report) => {
        this.reports.push(report)
        this.all.push(`${this.#now / 1000} ${report.state} ${report.text ?? ''}`.trim())
        await Promise.resolve()
        const error = this.errors.shift()
        if (error !== undefined) throw error
      },
    })
  }

  /** Lets a time pass. */
  async pass(ms: number): Promise<void> {
    await turns(1)
    for (let passed = 0; passed < ms; passed += 100) {
      this.#now += 100
      this.test.mock.timers.tick(100)
      await turns(3)
    }
  }
}

const refusal = (status: number, code: string, retryAfterMs = 0): PlayError => new PlayError({ status, code, message: code, retryAfterMs })

describe('the sender of activities', () => {
  it('sends one a second, the newest', async (test) => {
    const sent = new Sent(test)
    for (let i = 0; i < 25; i++) {
      sent.sender.set('working', `step ${i}`)
      await sent.pass(100)
    }
    await sent.pass(5000)
    assert.deepEqual(sent.all, ['0 working step 0', '1 working step 9', '2 working step 19', '3 working step 24'])
  })

  it('sends at once what people wait for', async (test) => {
    const sent = new Sent(test)
    for (const state of ['working', 'waiting', 'working', 'failed', 'idle', 'done'] as const) {
      sent.sender.set(state)
      await sent.pass(200)
    }
    await sent.pass(5000)
    assert.deepEqual(sent.all, ['0 working', '0.2 waiting', '0.6 failed', '1 done'])
  })

  it('sends a mere usage every 10 s, and with any other change', async (test) => {
    const sent = new Sent(test)
    sent.sender.use({ inputTokens: 1 })
    await sent.pass(1000)
    assert.deepEqual(sent.all, [], 'no state')
    sent.sender.set('working')
    for (let i = 2; i < 15; i++) {
      await sent.pass(1000)
      sent.sender.use({ inputTokens: i })
    }
    sent.sender.set('done')
    await sent.pass(100)
    sent.sender.use({ inputTokens: 20 })
    await sent.pass(15_000)
    assert.deepEqual(sent.all, ['1 working', '11 working', '14 done', '24 done'])
    assert.deepEqual(sent.reports.map(({ usage }) => usage?.inputTokens), [1, 10, 14, 20])
  })

  it('sends nothing that the host already has', async (test) => {
    const sent = new Sent(test)
    for (let i = 0; i < 3; i++) {
      sent.sender.set('done', '  all \n done ', { toolName: 'edit', usage: { outputTokens: 3 } })
      await sent.pass(300)
      sent.sender.set('idle')
    }
    sent.sender.set('done', 'all done', { toolName: 'edit' })
    await sent.pass(12_000)
    assert.deepEqual(sent.reports, [{ state: 'done', text: 'all done', toolName: 'edit', usage: { outputTokens: 3 } }])
  })

  it('waits as long as the host requests, and then sends the newest', async (test) => {
    const sent = new Sent(test)
    sent.errors = [refusal(429, 'rate_limited', 4000)]
    sent.sender.set('working', 'a')
    await sent.pass(1000)
    sent.sender.set('waiting', 'b')
    sent.sender.set('waiting', 'c')
    await sent.pass(9000)
    assert.deepEqual(sent.all, ['0 working a', '4 waiting c'])
    assert.deepEqual(sent.warnings, [])
  })

  it('tries again while the host is away, less and less often', async (test) => {
    const sent = new Sent(test)
    sent.errors = Array.from({ length: 8 }, () => new UnreachableError('host', 'away', true))
    sent.sender.set('working', 'a')
    await sent.pass(3000)
    sent.sender.set('working', 'b')
    await sent.pass(120_000)
    assert.equal(sent.all.length, 9)
    assert.match(sent.all.at(-1) ?? '', /working b$/u)
    await sent.pass(60_000)
    assert.equal(sent.all.length, 9)
  })

  it('does not repeat what the host refuses', async (test) => {
    const sent = new Sent(test)
    sent.errors = [refusal(400, 'map_full'), refusal(501, 'unknown')]
    sent.sender.set('working', 'a')
    await sent.pass(20_000)
    sent.sender.set('working', 'b')
    await sent.pass(20_000)
    assert.deepEqual(sent.all, ['0 working a', '20 working b'])
    assert.equal(sent.warnings.length, 2)
  })

  it('waits for the agent to register again, and then sends the newest', async (test) => {
    const sent = new Sent(test)
    sent.errors = [refusal(404, 'player_unknown')]
    sent.sender.set('working', 'a')
    await sent.pass(100)
    sent.sender.set('waiting', 'b')
    await sent.pass(60_000)
    assert.deepEqual(sent.all, ['0 working a'])
    sent.sender.registered()
    await sent.pass(100)
    sent.sender.registered()
    await sent.pass(100)
    assert.deepEqual(sent.all.slice(1), ['60.1 waiting b', '60.2 waiting b'])
  })

  it('tries again if the agent registered while the host refused its connection', async (test) => {
    const sent = new Sent(test)
    sent.errors = [refusal(404, 'lease_unknown')]
    sent.sender.set('working', 'a')
    sent.sender.registered()
    await sent.pass(2000)
    assert.deepEqual(sent.all, ['0 working a', '1 working a'])
  })

  it('sends what is pending at the end, and nothing afterwards', async (test) => {
    const sent = new Sent(test)
    sent.sender.set('working', 'a')
    sent.sender.set('working', 'b')
    sent.sender.leave()
    await sent.sender.flush(new AbortController().signal)
    assert.deepEqual(sent.all, ['0 working a', '0 working b'])
    assert.throws(() => { sent.sender.set('done') }, ClosedError)
    assert.throws(() => { sent.sender.use({}) }, ClosedError)
    await sent.pass(20_000)
    assert.equal(sent.all.length, 2)
  })

  it('ends with its time at the end', async (test) => {
    const sent = new Sent(test)
    sent.errors = [refusal(429, 'rate_limited', 60_000)]
    sent.sender.set('working', 'a')
    await sent.pass(100)
    sent.sender.leave()
    const ending = new AbortController()
    const flushed = sent.sender.flush(ending.signal)
    await sent.pass(1000)
    ending.abort()
    await flushed
    assert.deepEqual(sent.all, ['0 working a'])
  })

  it('sends nothing to a host without activities, or once the agent is lost', async (test) => {
    const sent = new Sent(test)
    sent.takes = false
    sent.sender.set('waiting', 'a')
    await sent.pass(20_000)
    sent.takes = true
    sent.sender.lose()
    sent.sender.set('done', 'b')
    await sent.sender.flush(new AbortController().signal)
    await sent.pass(20_000)
    assert.deepEqual([sent.all, sent.warnings], [[], []])
  })

  it('refuses wrong arguments and cuts long texts', async (test) => {
    const sent = new Sent(test)
    const wrong: [unknown, unknown, RegExp][] = [
      [5, {}, /not a text/u], [null, {}, /not a text/u], ['', null, /options of done/u], ['', 'edit', /options of done/u], ['', { tool: 'edit' }, /"tool"/u], ['', { toolName: 5 }, /toolName/u],
      ['', { usage: 5 }, /usage is not an object/u], ['', { usage: [] }, /usage is not an object/u], ['', { usage: { tokens: 5 } }, /"tokens"/u],
      ['', { usage: { inputTokens: -1 } }, /usage\.inputTokens/u], ['', { usage: { costUsd: NaN } }, /usage\.costUsd/u], ['', { usage: { toolCalls: Infinity } }, /usage\.toolCalls/u],
      ['', { usage: { errors: '1' } }, /usage\.errors/u], ['', { usage: { outputTokens: null } }, /usage\.outputTokens/u],
    ]
    for (const [text, options, message] of wrong) {
      assert.throws(() => { sent.sender.set('done', text as string, options as object) }, (error) => error instanceof OptionError && message.test(error.message), String(message))
    }
    assert.throws(() => { sent.sender.use({ inputTokens: '5' } as object) }, OptionError)
    await sent.pass(100)
    assert.deepEqual(sent.all, [])
    sent.sender.set('done', `${' '.repeat(500)}${'😀'.repeat(300)}`, { toolName: 'x'.repeat(300), usage: { inputTokens: 0, outputTokens: undefined } as object })
    await sent.pass(100)
    assert.deepEqual(sent.reports, [{ state: 'done', text: '😀'.repeat(200), toolName: 'x'.repeat(128), usage: { inputTokens: 0 } }])
    sent.sender.set('failed', ' \n', { toolName: ' ', usage: {} })
    await sent.pass(100)
    assert.deepEqual(sent.reports.at(-1), { state: 'failed' })
    sent.sender.use({ errors: 1 })
    sent.sender.use({})
    await sent.pass(12_000)
    assert.deepEqual(sent.reports.at(-1), { state: 'failed' })
  })
})

const recorded = ({ route }: ReceivedRequest): boolean => route === 'recordActivity'

describe('the activity of an agent at a fake host', () => {
  it('is sent without an idempotency key, with the connection', async () => {
    const host = new FakeHost()
    const world = host.world()
    const agent = await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
    agent.done('ready')
    const request = await host.requests.until(recorded)
    const registered = await host.requests.until(({ route }) => route === '/players')
    assert.deepEqual(request.payload, { playerId: 'ada', connectionId: registered.payload.connectionId, state: 'done', text: 'ready' })
    assert.equal(request.headers.get('idempotency-key'), null)
    await world.close()
  })

  it('is not sent to a host without the capability', async () => {
    for (const own of [undefined, capabilities.filter((name) => name !== 'activity')]) {
      const host = new FakeHost(({ route }) => (route === '/session' ? Response.json({ sid: 's', capabilities: own }) : undefined))
      const world = host.world()
      const agent = await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
      agent.done('ready')
      await world.close()
      assert.deepEqual(host.requests.all.filter(recorded), [])
    }
  })

  it('does not keep an agent from leaving', async () => {
    const host = new FakeHost(({ route, signal }) => (route === 'recordActivity'
      ? new Promise((_resolve, reject) => { signal?.addEventListener('abort', () => { reject(signal.reason as Error) }) }) : undefined))
    const world = host.world()
    const agent = await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
    agent.done('ready')
    await world.close()
    assert.equal(host.requests.all.at(-1)?.route, '/players/disconnect')
    assert.throws(() => { agent.working() }, ClosedError)
  })
})

describe('the activity of an agent', () => {
  let host: Host
  let world: RemotePlayWorld
  before(async () => {
    host = await Host.start()
    const { node, apiKey } = await host.account()
    world = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node })
  })
  after(async () => {
    await world.close()
    await host.end()
  })

  /** Returns the states of an agent that the host lists, with its arrivals and departures. */
  async function states(agent: Agent): Promise<string[]> {
    const client = await world.client()
    const { events } = await pastEvents(client, { before: ((await client.session()).seq ?? 0) + 1, limit: 200 })
    return events.flatMap((event) => {
      if (isEvent(event, 'world:activity')) return event.data.playerId === agent.playerId ? event.data.activity.state : []
      return event.kind.startsWith('world:player_') && JSON.stringify(event.data).includes(agent.playerId) ? event.kind.replace('world:player_', '') : []
    })
  }

  it('is in the verified copy and in the events, in the order of the calls', async () => {
    const events = new Reports<WorldEvent>()
    const updates = new Reports<WorldUpdate>()
    const subscription = await world.subscribeWorldState({ onSnapshot: updates.add, onEvent: events.add })
    const agent = await world.agent('Ada', { group: 'tests', parentId: 'someone', activity: false })
    const activity = async (state: string) => (await events.until((event) => isEvent(event, 'world:activity') && event.data.activity.state === state)).data.activity as { since: string }
    agent.working('Editing commit.go', { toolName: 'edit', usage: { inputTokens: 1200 } })
    const { since, ...rest } = await activity('working')
    assert.deepEqual(rest, { state: 'working', text: 'Editing commit.go', toolName: 'edit', usage: { inputTokens: 1200 } })
    assert.ok(Math.abs(Date.parse(since) - Date.now()) < 600_000)
    agent.waiting('Approve send_email', { toolName: 'send_email' })
    await activity('waiting')
    agent.failed('TypeError', { usage: { inputTokens: 2000, costUsd: 0.25, errors: 1 } })
    await activity('failed')
    agent.done()
    const update = await updates.until(({ snapshot }) => snapshot.worldMap.occupants.some((row) => row.kind === 'agent' && row.activity?.state === 'done'))
    const row = update.snapshot.worldMap.occupants.find((other) => other.kind === 'agent')
    assert.ok(row?.kind === 'agent')
    assert.deepEqual([row.group, row.parentId, row.activity?.usage], ['tests', 'someone', { inputTokens: 2000, costUsd: 0.25, errors: 1 }])
    assert.equal(update.verification, 'verified')
    assert.deepEqual(await states(agent), ['added', 'working', 'waiting', 'failed', 'done'])
    await agent.disconnect()
    await subscription.close()
  })

  it('follows the questions of a program, until the program says it itself', async () => {
    const agent = await world.agent('Kim', { chat: ({ text }) => { if (text === 'fail') throw new RangeError('secret'); return text }, onError: () => undefined })
    const quiet = await world.agent('Lou', { chat: () => 'hi', activity: false })
    await world.ask({ to: agent.playerId, text: 'hello' })
    await assert.rejects(world.ask({ to: agent.playerId, text: 'fail' }))
    agent.waiting('for the mail')
    await world.ask({ to: agent.playerId, text: 'hello' })
    await world.ask({ to: quiet.playerId, text: 'hello' })
    await Promise.all([agent.disconnect(), quiet.disconnect()])
    const shown = await states(agent)
    assert.deepEqual(shown.filter((state) => state !== 'working'), ['added', 'idle', 'done', 'failed', 'waiting', 'removed'])
    assert.deepEqual(await states(quiet), ['added', 'removed'])
  })

  it('is sent before the agent leaves', async () => {
    const agent = await world.agent('Bob', { activity: false })
    agent.working('a')
    agent.working('b')
    agent.idle('c')
    await agent.disconnect()
    assert.deepEqual(await states(agent), ['added', 'working', 'idle', 'removed'])
  })

  it('comes back in a new session', async () => {
    const agent = await world.agent('Eve', { activity: false })
    const events = new Reports<WorldEvent>()
    const subscription = await world.subscribeEvents({ kinds: ['world:activity'], onEvent: events.add, after: 0 })
    agent.waiting('Approve send_email')
    const waits = (event: WorldEvent): boolean => isEvent(event, 'world:activity') && event.data.activity.state === 'waiting' && event.data.playerId === agent.playerId
    await events.until(waits)
    const seen = events.all.length
    await host.admin().resetSession()
    await events.until(waits, seen)
    await subscription.close()
    await agent.disconnect()
  })

  it('is recorded by the world and the client as well', async () => {
    const agent = await world.agent('Mia', { activity: false })
    const client = createClient({ baseUrl: host.url })
    const { playerId } = agent
    const reply = await world.recordActivity({ playerId, state: 'working', usage: { toolCalls: 2 } })
    assert.deepEqual([reply.ok, typeof reply.rev], [true, 'number'])
    assert.deepEqual(await agent.client.recordActivity({ playerId, state: 'working', usage: { toolCalls: 2 } }), reply)
    await assert.rejects(client.recordActivity({ playerId, state: 'done' }), { status: 401 })
    await assert.rejects(agent.client.recordActivity({ playerId, connectionId: 'another', state: 'done' }), { code: 'lease_unknown' })
    await agent.disconnect()
  })
})
