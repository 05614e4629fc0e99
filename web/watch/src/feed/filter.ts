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

/** Reports whether an entry is listed only on request: a journey's signal follows the journey itself and contains less, and people walk a lot. */
function minor(entry: Entry): boolean {
  return entry.sentence === 'event.signal.journey' || entry.sentence === 'event.walked'
}
