import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { effect } from '@preact/signals'
import { locale, text } from '../text/text.js'
import { Town, type TownOptions } from '../town/town.js'
import { Recent } from '../world/recent.js'
import type { WorldStore } from '../world/store.js'
import { watchInsets } from './insets.js'
import { play, townText, watchMedia } from './playing.js'

/** The media query for panels below the map, as in layout.css. */
const narrow = '(max-width: 820px) and (min-height: 481px), (max-width: 560px)'

interface TownViewProps {
  readonly store: WorldStore
  readonly onTown: (town: Town | undefined) => void
  readonly announce: (sentence: string) => void
  readonly wall?: boolean
}

/** The town, with data from the store. */
export function TownView({ store, onTown, announce, wall = false }: TownViewProps): VNode {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const town = new Town(element, { ...optionsOf(store, announce), wall })
    const recent = new Recent()
    const ends = [
      effect(() => { const world = store.snapshot.value; if (world) town.setWorld({ sid: world.sid, bounds: world.worldMap.bounds, occupants: store.directory.value.occupants, at: store.time.value?.at }) }),
      effect(() => { town.select(store.selected.value ?? null) }),
      effect(() => { town.keepTo(store.followed.value ?? null) }),
      store.listen((event) => { if (recent.take(event) && !event.past && store.time.peek() === undefined) play(town, event) }),
      store.replayed.listen((event) => { if (event === undefined) town.stopAll(); else play(town, event) }),
      watchMedia('(prefers-color-scheme: dark)', (dark) => { town.setTheme(dark ? 'dark' : 'light') }),
      watchMedia('(prefers-reduced-motion: reduce)', (reduced) => { town.setReducedMotion(reduced) }),
      watchInsets(element, matchMedia(narrow), (insets) => { town.setInsets(insets) }),
    ]
    onTown(town)
    return () => {
      ends.forEach((end) => { end() })
      onTown(undefined)
      town.destroy()
    }
  }, [store, onTown, announce, wall])
  return <div class="town" ref={host} />
}

function optionsOf(store: WorldStore, announce: (sentence: string) => void): TownOptions {
  return {
    text: townText(text, locale()),
    theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    reducedMotion: matchMedia('(prefers-reduced-motion: reduce)').matches,
    onAnnounce: announce,
    onRead: (key) => { store.read.value = store.time.peek() === undefined ? store.feed.lastOf(key, undefined, 'speech') : store.replayed.lineOf(key) },
    onLeave: () => { store.followed.value = undefined },
    onSelect: (key) => { store.select(key ?? undefined) },
    onStep: (key, step) => { if (store.walking && key === store.selected.peek()) store.step.value = step ?? undefined },
  }
}
