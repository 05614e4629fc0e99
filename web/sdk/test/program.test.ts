import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { z } from 'zod'
import { AgentFailedError, JourneyRecorder, OptionError, PlayError, RemotePlayWorld, ToolError, hasCode, readOccupant, tool } from '../src/index.js'
import type { AgentProgram, IntercomEventData, NodeCredentialMaterial } from '../src/index.js'
import { PlayWorld } from '../src/node/index.js'
import { FakeHost, refused, silence } from './fake.js'
import { Host } from './host.js'
import { playctl } from './repository.js'

describe('an agent with a program', () => {
  let host: Host
  let account: { node: NodeCredentialMaterial; apiKey: string }
  const open = () => new RemotePlayWorld({ baseUrl: host.url, apiKey: account.apiKey, mainNodeCredentials: account.node })
  before(async () => {
    host = await Host.start()
    account = await host.account()
  })
  after(async () => { await host.end() })

  it('answers texts and calls of its tools, under the same id in every run', async () => {
    const ids = []
    for (let run = 0; run < 2; run++) {
      await using world = open()
      const ada = await world.agent('Ada', {
        chat: ({ text }) => `You said: ${text}`,
        tools: {
          book: tool({ description: 'Books a table', input: z.object({ people: z.number().int(), day: z.iso.date() }), run: ({ people }) => ({ table: people * 2 }) }),
          assist_hours: tool({ description: 'Says when it is open', run: () => 'From 9 to 5.' }),
        },
      })
      ids.push(ada.id)
      const { worldMap } = await world.getWorldSnapshot()
      const row = readOccupant(worldMap.occupants.find(({ name }) => name === 'Ada') ?? {})
      assert.ok(row?.kind === 'agent')
      assert.deepEqual(row.toolNames, ['chat_tool', 'assist_book', 'assist_hours'])
      const properties = row.assistTools?.[0]?.parameters.properties as Record<string, Record<string, unknown>>
      assert.deepEqual([properties.people?.['x-order'], properties.day?.['x-order'], properties.day?.format], [0, 1, 'date'])
      assert.equal((await world.ask({ to: ada.id, text: 'Hello' })).message, 'You said: Hello')
      assert.equal((await world.ask({ to: ada.id, tool: 'assist_book', args: { people: 3, day: '2026-01-02' } })).result?.table, 6)
      assert.equal((await world.ask({ to: ada.id, tool: 'assist_hours' })).message, 'From 9 to 5.')
      await assert.rejects(world.ask({ to: ada.id, tool: 'assist_book', args: { people: 'three' } }), (error) => error instanceof AgentFailedError && error.message.includes('people'))
    }
    assert.equal(ids[0], ids[1])
  })

  it('streams its answer in order, with a generator and with stream', async () => {
    await using world = open()
    const words = ['One ', 'two ', 'three ', 'four.']
    const bo = await world.agent('Bo', { chat: async function* () { for (const word of words) yield await Promise.resolve(word) } })
    const cy = await world.agent('Cy', { chat: ({ stream }) => { for (const word of words) void stream(word) } })
    for (const { id } of [bo, cy]) {
      const parts: IntercomEventData[] = []
      assert.equal((await world.ask({ to: id, text: 'Count', onPartial: (part) => { parts.push(part) } })).message, words.join(''))
      assert.equal(parts.filter(({ status }) => status === 'stream').map(({ message }) => message ?? '').join(''), words.join(''))
    }
  })

  it('reports an exception in full to its developer and hides it from the asker', async () => {
    await using world = open()
    const seen: Error[] = []
    const di = await world.agent('Di', {
      chat: () => { throw new TypeError('the secret is 7') },
      tools: { full: tool({ description: '', run: () => { throw new ToolError('no table is free') } }) },
      onError: (error) => { seen.push(error) },
    })
    await assert.rejects(world.ask({ to: di.id, text: 'Hi' }), (error) => error instanceof AgentFailedError && error.answer.error === "something went wrong in the agent's program")
    assert.ok(seen.length === 1 && seen[0] instanceof TypeError && seen[0].stack?.includes('program.test') === true)
    await assert.rejects(world.ask({ to: di.id, tool: 'assist_full' }), /no table is free/u)
    assert.equal(seen.length, 1)
    await assert.rejects(world.agent('Ed').then(async ({ id }) => world.ask({ to: id, text: 'Hi' })), /does not chat/u)
  })

  it('records its answers as journeys, redacted by its record function', async () => {
    await using world = open()
    const recorded: AgentProgram = {
      chat: ({ text, journey }) => {
        journey.result(journey.call('search', { key: 'secret', q: text }), ['found'])
        return 'Found it.'
      },
      tools: { add: tool({ description: '', input: z.object({ a: z.number() }), run: ({ a }) => a + 1 }) },
      record: (step) => (step.type === 'structure' && step.toolName === 'search' ? { ...step, args: {} } : step),
    }
    const kit = await world.agent('Kit', recorded)
    const lea = await world.agent('Lea', { chat: () => 'private' })
    await world.ask({ to: kit.id, text: 'the key' })
    await world.ask({ to: kit.id, tool: 'assist_add', args: { a: 1 } })
    await world.ask({ to: lea.id, text: 'hush' })
    const { journeys } = await (await world.client()).listJourneys({})
    assert.deepEqual(journeys.filter(({ playerId }) => playerId === lea.id), [])
    const steps = journeys.filter(({ playerId }) => playerId === kit.id).map(({ journey }) => journey.steps.map((step) => (
      step.type === 'structure' ? [step.toolName, step.args, step.result] : step.content)))
    assert.deepEqual(steps, [['the key', ['search', {}, ['found']], 'Found it.'], ['', ['assist_add', { a: 1 }, 2], '2']])
  })

  it('fits a journey into the limits of the protocol', () => {
    const recorder = new JourneyRecorder('x'.repeat(9000))
    for (let i = 0; i < 600; i++) recorder.result(recorder.call('t', { i, text: 'y'.repeat(300) }), 7n)
    const { steps } = recorder.to('done')
    const size = JSON.stringify(steps).length
    assert.ok(steps.length <= 500 && size < 131_072 && size > 100_000, `${steps.length} steps, ${size} bytes`)
    assert.deepEqual([steps[0]?.type, steps.at(-1)?.type], ['origin', 'destination'])
  })

  it('prints an error that has no listener', async (test) => {
    const printed = test.mock.method(console, 'warn', () => undefined)
    await using world = open()
    const fay = await world.agent('Fay', { chat: () => { throw new TypeError('boom') } })
    await assert.rejects(world.ask({ to: fay.id, text: 'Hi' }), AgentFailedError)
    const [prefix, error] = (printed.mock.calls[0]?.arguments ?? []) as unknown[]
    assert.ok(prefix === 'playctl:' && error instanceof TypeError && error.message === 'boom')
  })

  it('reports missing options in terms of this package', async () => {
    await using world = new RemotePlayWorld({ baseUrl: host.url, apiKey: 'x' })
    await assert.rejects(world.connect(), (error) => error instanceof PlayError && error.message.includes('set mainNodeCredentials'))
    assert.throws(() => new (RemotePlayWorld as unknown as new () => RemotePlayWorld)(), OptionError)
    assert.throws(() => new RemotePlayWorld({ baseUrl: `${host.url}/play/watch`, apiKey: 'x' }), /address of a page/u)
    await using other = open()
    const gil = await other.agent('Gil')
    await assert.rejects(gil.say('  '), OptionError)
    await assert.rejects(gil.say(42 as never), /is not a text/u)
    const nodes = async () => (await (await other.client()).nodes()).agentNodes.length
    const before = await nodes()
    for (const name of ['', 'x'.repeat(1000), 42 as never]) await assert.rejects(other.agent(name), OptionError)
    assert.equal(await nodes(), before, 'a node was created for an agent with an invalid name')
    await assert.rejects(other.hold().for(NaN), OptionError)
    await assert.rejects(other.agent('Hal', { tools: { x: { description: '' } as never } }), /make it with tool/u)
  })

  it('yields events whose data has the type of their kind', async () => {
    await using world = open()
    const { seq = 0 } = await (await world.client()).session()
    const ida = await world.agent('Ida')
    await ida.say('Good morning.')
    const texts: string[] = []
    for await (const event of world.events({ kinds: ['world:interaction', 'world:player_added'], after: seq })) {
      if (event.kind === 'world:player_added') {
        // @ts-expect-error this kind has no text
        assert.equal(event.data.text, undefined)
        continue
      }
      texts.push(event.data.text)
      break
    }
    assert.deepEqual(texts, ['Good morning.'])
  })

  it('ends a loop of events when its signal is aborted or the world is closed', async () => {
    const world = open()
    const ending = new AbortController()
    const loops = [world.events({ signal: ending.signal }), world.events()].map(async (events) => { for await (const _event of events) { /* until it ends */ } })
    ending.abort()
    await loops[0]
    await world.close()
    await loops[1]
  })

  it('is not put on the map if the host refuses its questions', { timeout: 20_000 }, async () => {
    const fake = new FakeHost(({ route }) => {
      if (route === '/players/disconnect') return refused('node_unknown')
      return route === '/events' ? refused() : undefined
    })
    await using world = fake.world()
    await assert.rejects(world.agent('Lu', { chat: () => '' }), (error) => hasCode(error, 'credentials_invalid'))
    await fake.requests.until(({ route }) => route === '/players/disconnect')
  })

  it('does not wait for its questions after its signal has ended', { timeout: 20_000 }, async () => {
    const ending = new AbortController()
    const fake = new FakeHost((received) => {
      if (received.route !== '/events') return undefined
      ending.abort(new Error('enough'))
      return silence(received)
    })
    await using world = fake.world()
    await assert.rejects(world.agent('Mo', { chat: () => '' }, { signal: ending.signal }), /enough/u)
  })

  it('does not call a function of onClose that was removed', async () => {
    const world = open()
    const called: number[] = []
    const [first, second] = [1, 2].map((number) => world.onClose(() => { called.push(number) }))
    first?.()
    await world.close()
    second?.()
    assert.deepEqual(called, [2])
  })

  it('answers in a PlayWorld, even without a repository', async () => {
    for (const noRepository of [false, true]) {
      await using world = await PlayWorld.start({ binary: playctl(), noRepository })
      const jo = await world.agent('Jo', { chat: ({ text }) => text.toUpperCase() })
      assert.equal((await world.ask({ to: jo.id, text: 'hi' })).message, 'HI')
    }
  })
})
