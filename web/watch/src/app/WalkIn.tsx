import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { framed } from '../access/access.js'
import { text } from '../text/text.js'
import { useLoaded } from './loaded.js'
import type { Town } from '../town/town.js'
import type { WorldStore } from '../world/store.js'

/** The button for entering the town, if the reader may act, and the controls of the reader's figure. */
export function useWalkIn(store: WorldStore, town: Town | undefined, announce: (sentence: string) => void): { button: ComponentChildren, figure: VNode | undefined } {
  const may = store.scope.value === 'act' && store.people.value && store.recording.value === undefined && !framed
  const open = may && store.sheet.value === 'walk'
  // The code for a figure is loaded when it is needed.
  const loaded = useLoaded(open, () => import('../person/Person.js'), () => {
    store.sheet.value = undefined
    store.note.value = 'page.older'
  })
  const walker = useMemo(() => loaded && new loaded.Walker(store, announce), [loaded, store, announce])
  useEffect(() => { if (walker !== undefined) walker.town = town }, [walker, town])
  useEffect(() => () => { walker?.end() }, [walker])
  if (!may) return { button: undefined, figure: undefined }
  const button = store.own.value === undefined && (
    <div class="share notify walkin">
      <button type="button" class="small" aria-expanded={open} aria-controls="walkin" title={text('person.buttonWhy')}
        onClick={() => { store.sheet.value = open ? undefined : 'walk' }}>{text('person.button')}</button>
      {open && loaded !== undefined && walker !== undefined && <loaded.Entrance store={store} walker={walker} />}
    </div>
  )
  return { button, figure: loaded && walker && <loaded.Figure store={store} walker={walker} /> }
}
