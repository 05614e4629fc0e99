import type { OccupantThing } from '../world/things.js'

/** Returns the occupants whose name, platform, group or tool matches, ordered by name. */
export function find(occupants: readonly OccupantThing[], wanted: string, language: string): readonly OccupantThing[] {
  const words = wanted.toLocaleLowerCase(language).trim()
  const order = new Intl.Collator(language, { numeric: true })
  return occupants
    .filter((row) => words === '' || wordsOf(row).some((word) => word.toLocaleLowerCase(language).includes(words)))
    .sort((a, b) => order.compare(a.name, b.name) || (a.key < b.key ? -1 : 1))
}

function wordsOf(row: OccupantThing): readonly string[] {
  return row.kind === 'agent' ? [row.name, row.platform, row.group ?? '', row.id, ...row.toolNames] : [row.name, row.id]
}
