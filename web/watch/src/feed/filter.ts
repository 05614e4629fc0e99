import type { Entry, Group } from './entry.js'

/** The filter of entries; empty fields match everything. */
export interface Filter {
  readonly group: Group | ''
  /** The stable key of the subject. */
  readonly key: string
  readonly text: string
}

export const everything: Filter = { group: '', key: '', text: '' }

/** Reports whether an entry passes a filter. Case is ignored. */
export function passes(entry: Entry, filter: Filter): boolean {
  return (filter.group === '' ? !minor(entry) : entry.group === filter.group)
    && (filter.key === '' || entry.key === filter.key)
    && (filter.text === '' || contains(entry, filter.text.toLocaleLowerCase()))
}

function contains(entry: Entry, wanted: string): boolean {
  return entry.text.toLocaleLowerCase().includes(wanted) || entry.name.toLocaleLowerCase().includes(wanted)
}

/** Reports whether an entry is listed only on request: a journey's signal follows the journey itself and contains less, people walk a lot, and of states only those count that need a person. */
function minor(entry: Entry): boolean {
  return entry.sentence === 'event.signal.journey' || entry.sentence === 'event.walked' || (entry.group === 'activity' && !needsPerson(entry))
}

/** Reports whether an entry says that an agent waits for a person, or failed. */
export function needsPerson({ sentence }: Pick<Entry, 'sentence'>): boolean {
  return sentence === 'event.activity.waiting' || sentence === 'event.activity.failed'
}
