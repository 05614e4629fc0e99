import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { Copied } from '../app/Copied.js'
import { locale, text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'
import { Departures } from './Departures.js'
import { hasAccounts, hostAddress } from '../app/served.js'
import { firstLines } from './first.js'
import { Row } from './Row.js'
import { find } from './search.js'
import { noRecentChange } from '../world/presence.js'
import type { OccupantThing } from '../world/things.js'

/** All occupants of the map, also for people who cannot see the map. */
export function Residents({ store, show }: { store: WorldStore, show: (key: string) => void }): VNode {
  const wanted = store.wanted.value
  // Recent arrivals and departures are of the present.
  const { came, left } = store.time.value === undefined ? store.presence.value : noRecentChange
  const { occupants } = store.directory.value
  const found = useMemo(() => find(occupants, wanted, locale()), [occupants, wanted])
  const loaded = store.snapshot.value !== undefined
  return (
    <>
      <div class="tools">
        <input type="search" aria-label={text('residents.find')} placeholder={text('residents.findHint')} value={wanted}
          onInput={(event) => { store.wanted.value = event.currentTarget.value }} />
        <p class="soft">{!loaded ? text('status.unread') : wanted === ''
          ? counted(occupants)
          : text('residents.of', { shown: found.length, count: occupants.length })}</p>
      </div>
      <Departures left={left} />
      {found.length > 0 && <ul class="rows" aria-label={text('tab.residents')}>
        {found.map((row) => <Row key={row.key} thing={row} chosen={store.selected.value === row.key} fresh={came.has(row.key)} own={store.own.value === row.key} show={show} />)}
      </ul>}
      {loaded && occupants.length === 0 && <div class="nothing">
        <h2>{text('page.empty')}</h2>
        <p>{text(hasAccounts() ? 'page.emptyHow' : 'page.emptyHowHere')}</p>
        {firstLines(hostAddress(), hasAccounts()).map((line) => <Copied key={line} words={line} />)}
      </div>}
      {occupants.length > 0 && found.length === 0 && <p class="nothing">{text('residents.none')}</p>}
    </>
  )
}

/** Returns the counts of each kind; for agents also zero. */
function counted(occupants: readonly OccupantThing[]): string {
  return (['agent', 'human', 'mcp', 'structure'] as const).flatMap((kind) => {
    const count = occupants.filter((row) => row.kind === kind).length
    return count > 0 || kind === 'agent' ? text(`residents.count.${kind}`, { count }) : []
  }).join(' · ')
}
