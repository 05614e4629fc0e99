import { readEvent, type WorldEvent } from '@playctl/sdk'
import { plainWords } from '../markdown/plain.js'
import type { MapWords } from '../text/map.js'
import type { Teller } from '../text/teller.js'
import type { Town, TownStep, TownText } from '../town/town.js'
import { calledBy } from './called.js'

/** Returns the texts of the map in a language. */
export function townText(tell: Teller<keyof MapWords<'en'>>): TownText {
  const whatOf = ({ type, toolName = '', content = '' }: TownStep): string =>
    type === 'structure' ? toolName : tell('map.stepSaid', { step: tell(`journey.${type}`), text: content })
  return {
    mapLabel: tell('page.map'), mapRole: tell('page.mapRole'), overviewLabel: tell('map.overview'), overviewHow: tell('map.overviewHow'), you: tell('map.you'),
    describe: (row) => tell('map.resident', {
      who: calledBy(row.name, tell),
      kind: tell(`residents.kind.${row.kind}`), place: tell('residents.at', { x: row.x, y: row.y }),
    }),
    step: (step, place) => tell('map.step', { step: place + 1, what: whatOf(step) }),
  }
}

/** Plays an event on the map. */
export function play(town: Town, event: WorldEvent): void {
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

/** Calls a function with whether a media query matches, now and after each change. */
export function watchMedia(query: string, changed: (matches: boolean) => void): () => void {
  const media = matchMedia(query)
  const listener = (): void => { changed(media.matches) }
  listener()
  media.addEventListener('change', listener)
  return () => { media.removeEventListener('change', listener) }
}
