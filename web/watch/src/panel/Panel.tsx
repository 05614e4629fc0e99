import type { VNode } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { framed } from '../access/access.js'
import { AssistTools } from '../assist/AssistTools.js'
import { Conversation } from '../chat/Conversation.js'
import { Grip } from '../app/Grip.js'
import { Share } from '../app/Share.js'
import { Badge } from '../app/Badge.js'
import { nameOf } from '../app/names.js'
import { useLoaded } from '../app/loaded.js'
import { Tabs } from '../app/Tabs.js'
import { text } from '../text/text.js'
import type { Town } from '../town/town.js'
import type { AgentThing, Thing } from '../world/things.js'
import type { Notifier } from '../notify/notifier.js'
import { panelParts, type WorldStore } from '../world/store.js'
import { Now } from './Now.js'

interface PanelProps {
  readonly store: WorldStore
  readonly thingKey: string
  readonly notifier: Notifier
  readonly town: Town | undefined
  readonly show: (key: string) => void
}

/** The information about the selected thing, and the actions on it. */
export function Panel({ store, thingKey, notifier, town, show }: PanelProps): VNode | null {
  const thing = store.directory.value.get(thingKey)
  // An occupant that leaves stays in the panel, marked as gone.
  const [last, remember] = useState<Thing | undefined>(thing)
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = thing ?? last
  const close = useCallback(() => { store.select(undefined) }, [store])
  const facts = useLoaded(shown !== undefined && shown.kind !== 'agent', () => import('./FactsOf.js'), () => { store.note.value = 'page.older' })
  useEffect(() => { if (thing !== undefined) remember(thing) }, [thing])
  useEffect(() => {
    const before = document.activeElement
    const panel = heading.current?.closest('.panel')
    const field = store.asks ? panel?.querySelector<HTMLElement>('.message textarea') : undefined
    store.asks = false
    const first = field ?? heading.current
    first?.focus({ preventScroll: true })
    return () => {
      const { activeElement: now } = document
      // The element that was pressed to close this, such as another row, keeps the focus.
      if (now !== null && now !== document.body && panel?.contains(now) !== true) return
      const had = before instanceof HTMLElement && before !== document.body && before.isConnected
      // If the element that had the focus is gone, or nothing had it, the row of the closed thing gets the focus.
      const back = had ? before : document.querySelector<HTMLElement>(`.register [data-key="${CSS.escape(thingKey)}"]`)
      back?.focus({ preventScroll: true })
    }
  }, [thingKey])
  if (shown === undefined) {
    return null
  }
  return (
    <aside class="panel" aria-label={nameOf(shown)}>
      <Grip of="--dragged-panel" close={close} />
      <header>
        <Badge thing={shown} />
        <h2 tabIndex={-1} ref={heading}><bdi>{nameOf(shown)}</bdi></h2>
        {(shown.kind === 'agent' || shown.kind === 'human') && <button type="button" class="small" aria-pressed={store.followed.value === shown.key} title={text('panel.followWhy')}
          onClick={() => { store.follow(shown.key) }}>{text('panel.follow')}</button>}
        {shown.kind === 'agent' && !framed && <button type="button" class="small" aria-pressed={notifier.has(shown.key)} title={text('notify.agentWhy')}
          onClick={() => { const wish = { kind: 'agent', key: shown.key, name: shown.name } as const; if (notifier.has(shown.key)) notifier.remove(wish); else void notifier.add(wish) }}>{text('notify.agent')}</button>}
        <Share store={store} />
        <button type="button" class="close" aria-label={text('page.close')} onClick={close}>×</button>
      </header>
      {shown.kind === 'agent'
        ? <AgentParts store={store} agent={shown} there={thing !== undefined} town={town} show={show} />
        : <div class="scroll" tabIndex={0} role="group" aria-label={text('panel.about')}>
          {thing === undefined && <p class="gone">{text(store.time.value === undefined ? 'panel.gone' : 'panel.notThere', { who: nameOf(shown) })}</p>}
          {facts !== undefined && <facts.FactsOf store={store} thing={shown} provable={thing !== undefined && store.time.value === undefined} show={show} />}
        </div>}
    </aside>
  )
}

interface AgentPartsProps {
  readonly store: WorldStore
  readonly agent: AgentThing
  /** Whether it is on the map. */
  readonly there: boolean
  readonly town: Town | undefined
  readonly show: (key: string) => void
}

/** The panel of an agent, in three parts. */
function AgentParts({ store, agent, there, town, show }: AgentPartsProps): VNode {
  const part = store.part.value
  const now = store.time.value === undefined
  const older = (): void => { store.note.value = 'page.older' }
  const story = useLoaded(part === 'story', () => import('../story/StoryOf.js'), older)
  const facts = useLoaded(part === 'facts', () => import('./FactsOf.js'), older)
  return (
    <>
      <Now store={store} agent={agent} />
      <Tabs label={text('panel.parts')} names={panelParts} shown={part} word={(name) => text(`panel.${name}`)} id="part" controls="part" choose={(name) => { store.part.value = name }} />
      <div class="scroll" tabIndex={0} role="tabpanel" id="part" aria-labelledby={`part-${part}`}>
        {!there && <p class="gone">{text(now ? 'panel.gone' : 'panel.notThere', { who: nameOf(agent) })}</p>}
        {part === 'talk' && !now && <p class="soft">{text('past.ask')}</p>}
        {/* A draft stays while the agent is away for a moment, or while the past is shown. */}
        {part === 'talk' && <div class="asking" hidden={!there || !now}>
          <Conversation store={store} agent={agent} />
          <AssistTools store={store} agent={agent} />
        </div>}
        {part === 'story' && story !== undefined && <>
          <story.Timeline store={store} agent={agent} town={town} />
          <story.StoryOf key={agent.key} store={store} agent={agent} />
        </>}
        {part === 'facts' && facts !== undefined && <facts.FactsOf store={store} thing={agent} provable={there && now} show={show} />}
      </div>
    </>
  )
}
