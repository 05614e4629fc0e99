import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Agent, type ChatMessage, type NodeCredentialMaterial, RemotePlayWorld, type WorldUpdate } from '../src/index.js'
import { recordRun } from '../src/ai/index.js'
import { Host, Reports } from './host.js'

/** A run that an agent's program starts itself. */
const run = async (agent: Agent): Promise<unknown> => recordRun(agent, 'Go', { steps: [], text: 'Done.' })

describe('the agent that starts another one', () => {
  let host: Host
  let account: { node: NodeCredentialMaterial; apiKey: string }
  const open = () => new RemotePlayWorld({ baseUrl: host.url, apiKey: account.apiKey, mainNodeCredentials: account.node })
  before(async () => {
    host = await Host.start()
    account = await host.account()
  })
  after(async () => { await host.end() })

  /** Asks an agent of the world, which does something as its answer. */
  const during = async (world: RemotePlayWorld, name: string, work: (message: ChatMessage) => Promise<unknown>, activity = true): Promise<Agent> => {
    const agent = await world.agent(name, { activity, chat: async (message) => { await work(message) } })
    await world.ask({ to: agent.id, text: 'Start' })
    return agent
  }
  /** Waits until the row of an agent has a parent. */
  const shown = async (world: RemotePlayWorld, agent: Agent, parent: Agent): Promise<void> => {
    const updates = new Reports<WorldUpdate>()
    const following = await world.subscribeWorldState({ onSnapshot: updates.add })
    await updates.until(({ snapshot }) => snapshot.worldMap.occupants.some((row) => row.kind === 'agent' && row.agentId === agent.id && row.parentId === parent.id))
    await following.close()
  }

  it('is the parent in its row: of an agent that is added in a run, and of one whose run is part of another', async () => {
    await using world = open()
    const bo = await world.agent('Bo')
    const added: Agent[] = []
    const ada = await during(world, 'Ada', async () => {
      await run(bo)
      added.push(await world.agent('Cy'))
    })
    for (const child of [bo, ...added]) await shown(world, child, ada)
    assert.equal(added.length, 1)
    await during(world, 'Di', async () => run(bo))
    assert.equal(bo.parentId, ada.id, 'the first one stays')
  })

  it('never leads back to an agent', async () => {
    await using world = open()
    const agents = new Map<string, Agent>()
    /** An agent that starts another one for each question. */
    const starts = async (name: string, next: string) => {
      const chat = async ({ agent }: ChatMessage) => {
        await run(agent)
        await run(agents.get(next) ?? agent)
      }
      agents.set(name, await world.agent(name, { chat }))
    }
    await starts('Ada', 'Bo')
    await starts('Bo', 'Cy')
    await starts('Cy', 'Ada')
    const all = [...agents.values()]
    for (const { id } of [...all, ...all]) await world.ask({ to: id, text: 'Start' })
    const [ada, bo, cy] = all
    assert.deepEqual([ada?.parentId, bo?.parentId, cy?.parentId], [undefined, ada?.id, bo?.id])
  })

  it('is not the parent if the program says otherwise, after its run, in another world, or if it shows nothing', async () => {
    await using world = open()
    await using other = open()
    const late = await world.agent('Cy')
    const own = await world.agent('Bo', { parentId: late.id })
    const elsewhere = await other.agent('Di')
    const hidden = await world.agent('Eve')
    let over: () => void = () => undefined
    let ended: Promise<unknown> | undefined
    await during(world, 'Ada', async () => {
      await run(own)
      await run(elsewhere)
      ended = new Promise<void>((resolve) => { over = resolve }).then(async () => run(late))
    })
    over()
    await ended
    await during(world, 'Fay', async () => run(hidden), false)
    assert.deepEqual([own, late, elsewhere, hidden].map(({ parentId }) => parentId), [late.id, undefined, undefined, undefined])
  })
})
