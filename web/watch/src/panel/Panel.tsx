import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { AssistTools } from '../assist/AssistTools.js'
import { Conversation } from '../chat/Conversation.js'
import { Badge } from '../app/Badge.js'
import { nameOf } from '../app/names.js'
import { Timeline } from '../journey/Timeline.js'
import { text } from '../text/text.js'
import type { Town } from '../town/town.js'
import type { Thing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'
import { About } from './About.js'
import { Lines } from './Lines.js'

interface PanelProps {
  readonly store: WorldStore
  readonly thingKey: string
  readonly town: Town | undefined
  readonly show: (key: string) => void
}

/** What there is to know of the selected thing, and to do with it. */
export function Panel({ store, thingKey, town, show }: PanelProps): VNode | null {
  const thing = store.directory.value.get(thingKey)
  // One who leaves stays in the panel, said to have left.
  const [last, remember] = useState<Thing | undefined>(thing)
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = thing ?? last
  useEffect(() => { if (thing !== undefined) remember(thing) }, [thing])
  useEffect(() => {
    const before = document.activeElement
    heading.current?.focus({ preventScroll: true })
    return () => { if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true }) }
  }, [thingKey])
  if (shown === undefined) {
    return null
  }
  return (
    <aside class="panel" aria-label={nameOf(shown)}>
      <header>
        <Badge thing={shown} />
        <h2 tabIndex={-1} ref={heading}><bdi>{nameOf(shown)}</bdi></h2>
        <button type="button" class="close" aria-label={text('page.close')} onClick={() => { store.select(undefined) }}>×</button>
      </header>
      <div class="scroll" tabIndex={0} role="group" aria-label={text('panel.about')}>
        {thing === undefined && <p class="gone">{text('panel.gone', { who: nameOf(shown) })}</p>}
        <About store={store} thing={shown} show={show} />
        {shown.kind === 'agent' && <>
          {thing !== undefined && <Conversation store={store} agent={shown} />}
          {thing !== undefined && <AssistTools store={store} agent={shown} />}
          <Timeline store={store} agent={shown} town={town} />
          <Lines store={store} agent={shown} />
        </>}
      </div>
    </aside>
  )
}
