import { describe, it } from 'node:test'
import { FakeHost, type Got, chats, turns } from './fake.js'

const credentials = { nodeId: 'a'.repeat(64), passwHash: 'b'.repeat(64) }

/** Refuses the parts of answers. */
const refusesParts = ({ payload }: Got) => (payload.status === 'stream' ? Response.json({ error: 'gone', code: 'request_unknown' }, { status: 400 }) : undefined)

// Whatever rejects with nobody to catch it fails these tests, as it ends a program.
describe('a command', () => {
  it('is answered in parts that need not be awaited, also where the host refuses them', async () => {
    const host = new FakeHost(refusesParts)
    const late: (() => void)[] = []
    await using world = host.world()
    const ada = await world.agent('Ada', {
      credentials,
      onError: () => undefined,
      chat: ({ stream }) => {
        void stream('one')
        late.push(() => { void stream('two') })
        return 'done'
      },
    })
    host.ask(ada.id)
    await host.got.until(({ payload }) => payload.status === 'failed')
    for (const say of late) say()
    await turns()
  })

  it('is answered in parts by an executor that waits for none', async () => {
    const host = new FakeHost(refusesParts)
    await using world = host.world()
    await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
    const late: (() => void)[] = []
    const commands = await world.subscribeIntercomCommands({
      execute: ({ stream }) => {
        void stream({ message: 'one' })
        late.push(() => { void stream({ message: 'two' }) })
        return 'done'
      },
    })
    await commands.ready
    host.ask('ada')
    await host.got.until(({ payload }) => payload.status === 'completed')
    await turns()
    for (const say of late) say()
  })
})
