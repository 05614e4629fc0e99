import { readEvent, type WorldEvent } from '@playctl/sdk'
import { plainWords } from '../markdown/plain.js'
import { lastingIn } from '../text/lasting.js'
import type { MapWords } from '../text/map.js'
import type { Teller } from '../text/teller.js'
import { doingOf } from '../town/doing.js'
import { signs } from '../town/signs.js'
import type { Town, TownActivity, TownOccupant, TownStep, TownText } from '../town/town.js'
import { calledBy } from './called.js'

/** Returns the texts of the map in a language and a locale. */
export function townText(tell: Teller<keyof MapWords<'en'>>, locale: string): TownText {
  const lasting = lastingIn(locale)
  const whatOf = ({ type, toolName = '', content = '' }: TownStep): string =>
    type === 'structure' ? toolName : tell('map.stepSaid', { step: tell(`journey.${type}`), text: content })
  return {
    mapLabel: tell('page.map'), mapRole: tell('page.mapRole'), overviewLabel: tell('map.overview'), overviewHow: tell('map.overviewHow'), you: tell('map.you'),
    describe: (row) => {
      const kind = tell(`residents.kind.${row.kind}`)
      const state = stateIn(row, tell)
      return tell('map.resident', { who: calledBy(row.name, tell), kind: state === '' ? kind : tell('map.doing', { kind, state }), place: tell('residents.at', { x: row.x, y: row.y }) })
    },
    doing: ({ activity }, at) => activity === undefined || !Object.hasOwn(signs, activity.state) ? '' : [
      ageOf(activity, at, lasting), doingOf(activity) || tell(`state.${activity.state}`),
    ].filter((part) => part !== '').join(' · '),
    step: (step, place) => tell('map.step', { step: place + 1, what: whatOf(step) }),
  }
}

/** Returns what an agent does in words, for a screen reader; empty if it is not known. */
function stateIn(row: TownOccupant, tell: Teller<keyof MapWords<'en'>>): string {
  const activity = row.kind === 'agent' ? row.activity : undefined
  if (activity === undefined || !Object.hasOwn(signs, activity.state)) return ''
  const step = tell(`state.${activity.state}`)
  const text = doingOf(activity)
  return text === '' ? step : tell('map.stepSaid', { step, text })
}

function ageOf({ since }: TownActivity, at: number, lasting: (milliseconds: number) => string): string {
  const start = Date.parse(since)
  return Number.isNaN(start) ? '' : lasting(at - start)
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
