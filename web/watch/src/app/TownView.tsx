import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { effect } from '@preact/signals'
import { readEvent } from '@playctl/sdk'
import { plainWords } from '../markdown/plain.js'
import { text } from '../text/text.js'
import { Town, type TownOptions, type TownStep } from '../town/town.js'
import type { Happening } from '../world/events.js'
import type { WorldStore } from '../world/store.js'
import { called } from './names.js'
import { watchInsets } from './insets.js'

/** What happened longer ago than this, in milliseconds, is not played on the map. */
const fresh = 15_000

interface TownViewProps {
  readonly store: WorldStore
  readonly onTown: (town: Town | undefined) => void
  readonly announce: (sentence: string) => void
  readonly wall?: boolean
}

/** The town, fed from the store. */
export function TownView({ store, onTown, announce, wall = false }: TownViewProps): VNode {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const town = new Town(element, { ...optionsOf(store, announce), wall })
    const ends = [
      effect(() => { const world = store.snapshot.value; if (world) town.setWorld({ sid: world.sid, bounds: world.worldMap.bounds, occupants: store.directory.value.occupants }) }),
      effect(() => { town.select(store.selected.value ?? null) }),
      effect(() => { town.keepTo(store.followed.value ?? null) }),
      store.listen((event) => { if (!event.past && store.time.peek() === undefined && Date.now() - event.at < fresh) play(town, event) }),
      store.listenToPast((event) => { if (event === undefined) town.hush(); else play(town, event) }),
      watchMedia('(prefers-color-scheme: dark)', (dark) => { town.setTheme(dark ? 'dark' : 'light') }),
      watchMedia('(prefers-reduced-motion: reduce)', (reduced) => { town.setReducedMotion(reduced) }),
      watchInsets(element, matchMedia('(max-width: 820px)'), (insets) => { town.setInsets(insets) }),
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
    text: {
      mapLabel: text('page.map'), mapRole: text('page.mapRole'), overviewLabel: text('map.overview'), overviewHow: text('map.overviewHow'),
      describe: (row) => text('map.resident', {
        who: called(row.name),
        kind: text(`residents.kind.${row.kind}`), place: text('residents.at', { x: row.x, y: row.y }),
      }),
      step: (step, place) => text('map.step', { step: place + 1, what: whatOf(step) }),
    },
    theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    reducedMotion: matchMedia('(prefers-reduced-motion: reduce)').matches,
    onAnnounce: announce,
    onRead: (key) => { store.read.value = store.feed.lastOf(key, store.time.peek()?.seq, 'speech') },
    onLeave: () => { store.followed.value = undefined },
    onSelect: (key) => { store.select(key ?? undefined) },
    onStep: (key, step) => { if (store.walking && key === store.selected.peek()) store.step.value = step ?? undefined },
  }
}

function whatOf({ type, toolName = '', content = '' }: TownStep): string {
  return type === 'structure' ? toolName : text('map.stepSaid', { step: text(`journey.${type}`), text: content })
}

function play(town: Town, event: Happening): void {
  const known = readEvent(event)
  if (known?.kind === 'world:interaction') {
    const { playerId, role, text: line } = known.data
    town.say({ playerId, role: role === 'user' || role === 'tool' ? role : 'assistant', text: plainWords(line) })
  } else if (known?.kind === 'world:journey') {
    town.journey({ playerId: known.data.playerId, path: known.data.path })
  } else if (known?.kind === 'world:agent_signal') {
    town.signal({ playerId: known.data.playerId, kind: known.data.kind })
  }
}

/** Calls a function with whether a media query matches, now and whenever that changes. */
function watchMedia(query: string, changed: (matches: boolean) => void): () => void {
  const media = matchMedia(query)
  const listener = (): void => { changed(media.matches) }
  listener()
  media.addEventListener('change', listener)
  return () => { media.removeEventListener('change', listener) }
}
