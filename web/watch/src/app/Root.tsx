import type { VNode } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { WatchScope, WorldClient } from '@playctl/sdk'
import { access, cameByPass, framed, statusOf } from '../access/access.js'
import { Refused, Unreachable, type Refusal } from '../access/Refused.js'
import { text } from '../text/text.js'
import { WorldStore } from '../world/store.js'
import { isWall } from './address.js'
import { useLoaded } from './loaded.js'
import { useSlow } from './now.js'
import { Page } from './Page.js'
import { servedRecording } from './served.js'

type Stage =
  | { readonly is: 'asking' }
  | { readonly is: 'in', readonly store: WorldStore }
  | { readonly is: 'refused', readonly refusal: Refusal }
  | { readonly is: 'unreachable' }

/** The refusal after access has ended: in a frame, access is given by the surrounding page. */
const ended: Refusal = framed ? 'pass-expired' : 'expired'

/** The delay in milliseconds before the next request to a host that does not answer. */
const askAgain = 3000

/** The root component: requests the cookie, then shows the world, or what to do. */
export function Root({ client, token }: { client: WorldClient, token: string | undefined }): VNode {
  const [stage, go] = useState<Stage>({ is: 'asking' })
  const [turn, setTurn] = useState(0)
  const again = useCallback(() => { setTurn((last) => last + 1) }, [])
  useEffect(() => {
    let store: WorldStore | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let gone = false
    const settle = (next: Stage): void => {
      if (gone) return
      go(next)
      if (next.is === 'unreachable') timer = setTimeout(again, askAgain)
    }
    const failed = (): void => { settle({ is: 'unreachable' }) }
    enter(client, token).then(({ stage: entered }) => {
      settle(entered)
      if (gone || entered.is !== 'in') return
      store = entered.store
      if (store.link.peek().state === 'recording') return
      store.run().then(() => { settle({ is: 'refused', refusal: ended }) }, failed)
    }, failed)
    return () => { gone = true; clearTimeout(timer); store?.close() }
  }, [client, token, turn, again])
  switch (stage.is) {
    case 'asking': return <Asking />
    case 'in': return isWall(location.search) ? <OnWall store={stage.store} /> : <Page store={stage.store} />
    case 'refused': return <Refused refusal={stage.refusal} again={again} />
    case 'unreachable': return <Unreachable again={again} />
  }
}

/** The screen while access is requested: the same content as in index.html, so that nothing moves. */
function Asking(): VNode {
  const slow = useSlow(true)
  return (
    <main class="gate starting" aria-busy="true">
      <h1 translate={false}>{text('page.program')}</h1>
      <p role="status">{text(slow ? 'status.waiting' : 'status.connecting')}</p>
    </main>
  )
}

/** The view for a wall screen, which is loaded on request. */
function OnWall({ store }: { store: WorldStore }): VNode {
  const [older, failed] = useState(false)
  const loaded = useLoaded(true, () => import('../wall/Wall.js'), () => { failed(true) })
  if (loaded !== undefined) return <loaded.default store={store} />
  return <main class="gate" aria-busy={!older} aria-label={text('page.map')}>{older && <p role="alert">{text('page.older')}</p>}</main>
}

/** Sends the token; if it is no longer valid, the cookie of another page of this browser may be, or the host may be open to all. */
async function admitted(client: WorldClient, token: string | undefined): Promise<WatchScope> {
  try {
    return await access(client, token)
  } catch (cause) {
    if (token === undefined || statusOf(cause) !== 401) throw cause
    return access(client)
  }
}

async function enter(client: WorldClient, token: string | undefined): Promise<{ stage: Stage }> {
  if (servedRecording() !== '') {
    const store = new WorldStore(client, 0, () => Promise.resolve('ended'))
    store.link.value = { state: 'recording', downSince: undefined, retryAt: undefined }
    store.barOpen.value = true
    return { stage: { is: 'in', store } }
  }
  try {
    const scope = await admitted(client, token)
    const { seq = 0, capabilities = [] } = await client.session()
    const store: WorldStore = new WorldStore(client, seq, async () => {
      try {
        store.scope.value = await access(client)
        return 'renewed'
      } catch (cause) {
        // A host that does not answer states nothing about access.
        const status = statusOf(cause)
        return status === 401 || status === 403 ? 'ended' : 'unknown'
      }
    })
    store.scope.value = scope
    store.people.value = capabilities.includes('person')
    return { stage: { is: 'in', store } }
  } catch (cause) {
    const status = statusOf(cause)
    if (status === 401) return { stage: { is: 'refused', refusal: token === undefined && !cameByPass() ? framed ? 'no-pass' : 'no-link' : ended } }
    return { stage: status === 403 ? { is: 'refused', refusal: 'host' } : { is: 'unreachable' } }
  }
}
