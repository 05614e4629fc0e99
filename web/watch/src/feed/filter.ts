import type { Entry, Group } from './entry.js'

/** Which happenings are shown; empty fields let everything through. */
export interface Filter {
  readonly group: Group | ''
  /** The stable key of the subject. */
  readonly key: string
  readonly text: string
}

export const everything: Filter = { group: '', key: '', text: '' }

/** Whether a filter lets a happening through. Case counts for nothing. */
export function passes(entry: Entry, filter: Filter): boolean {
  return (filter.group === '' ? !minor(entry) : entry.group === filter.group)
    && (filter.key === '' || entry.key === filter.key)
    && (filter.text === '' || contains(entry, filter.text.toLocaleLowerCase()))
}

function contains(entry: Entry, wanted: string): boolean {
  return entry.text.toLocaleLowerCase().includes(wanted) || entry.name.toLocaleLowerCase().includes(wanted)
}

/** What is listed where it is asked for only: a journey's signal comes right after the journey itself and says less, and people walk a lot. */
function minor(entry: Entry): boolean {
  return entry.sentence === 'event.signal.journey' || entry.sentence === 'event.walked'
}
