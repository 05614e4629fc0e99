import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { locale, text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'
import type { Thing } from '../world/things.js'
import { Row } from './Row.js'

/** The spaces, the structures they are in, and the MCP placements. */
export function Places({ store, show }: { store: WorldStore, show: (key: string) => void }): VNode {
  const { occupants, spaces } = store.directory.value
  const byName = useMemo(() => new Intl.Collator(locale(), { numeric: true }), [])
  const parts: readonly (readonly ['spaces' | 'structures' | 'mcp', readonly Thing[]])[] = [
    ['structures', occupants.filter((row) => row.kind === 'structure')],
    ['spaces', spaces],
    ['mcp', occupants.filter((row) => row.kind === 'mcp')],
  ]
  const filled = parts.filter(([, things]) => things.length > 0)
  if (filled.length === 0) {
    return <p class="nothing">{text(store.snapshot.value === undefined ? 'status.unread' : 'places.none')}</p>
  }
  return <>{filled.map(([name, things]) => (
    <section key={name} aria-label={text(`places.${name}`)}>
      <h2>{text(`places.${name}`)}</h2>
      <ul class="rows">{[...things].sort((a, b) => byName.compare(a.name, b.name)).map((thing) => <Row key={thing.key} thing={thing} chosen={store.selected.value === thing.key} show={show} />)}</ul>
    </section>
  ))}</>
}
