import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { framed } from '../access/access.js'
import type { Entrance, Figure, Walker } from '../person/Person.js'
import { text } from '../text/text.js'
import type { Town } from '../town/town.js'
import type { WorldStore } from '../world/store.js'

/** What a figure of one's own takes, which is loaded when somebody wants one. */
interface Loaded {
  readonly Entrance: typeof Entrance
  readonly Figure: typeof Figure
  readonly walker: Walker
}

/** The button by which one comes to the town, where one may act, and what one does there. */
export function useWalkIn(store: WorldStore, town: Town | undefined, announce: (sentence: string) => void): { button: ComponentChildren, figure: VNode | undefined } {
  const [loaded, load] = useState<Loaded | undefined>(undefined)
  const may = store.scope.value === 'act' && store.people.value && store.recording.value === undefined && !framed
  const open = may && store.sheet.value === 'walk'
  useEffect(() => {
    if (open && loaded === undefined) {
      void import('../person/Person.js').then(({ Entrance, Figure, Walker }) => { load({ Entrance, Figure, walker: new Walker(store, announce) }) })
    }
  }, [open, loaded, store, announce])
  useEffect(() => { if (loaded !== undefined) loaded.walker.town = town }, [loaded, town])
  useEffect(() => () => { loaded?.walker.end() }, [loaded])
  if (!may) return { button: undefined, figure: undefined }
  const button = store.own.value === undefined && (
    <div class="share notify walkin">
      <button type="button" class="small" aria-expanded={open} aria-controls="walkin" title={text('person.buttonWhy')}
        onClick={() => { store.sheet.value = open ? undefined : 'walk' }}>{text('person.button')}</button>
      {open && loaded !== undefined && <loaded.Entrance store={store} walker={loaded.walker} />}
    </div>
  )
  return { button, figure: loaded && <loaded.Figure store={store} walker={loaded.walker} /> }
}
