import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { Copied } from '../app/Copied.js'
import { locale, text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'
import { Departures } from './Departures.js'
import { hasAccounts, hostAddress } from '../app/served.js'
import { firstLines } from './first.js'
import { arranged, totalsOf, type GroupOfRows } from './order.js'
import { Row } from './Row.js'
import { find } from './search.js'
import { Totals, usedWords } from './Totals.js'
import { clean } from '../town/prose.js'
import { useSteady } from './steady.js'
import { noRecentChange } from '../world/presence.js'
import type { OccupantThing } from '../world/things.js'

/** All occupants of the map, also for people who cannot see the map. */
export function Residents({ store, show }: { store: WorldStore, show: (key: string) => void }): VNode {
  const wanted = store.wanted.value
  // Recent arrivals and departures are of the present.
  const { came, left } = store.time.value === undefined ? store.presence.value : noRecentChange
  const { occupants } = store.directory.value
  const found = useMemo(() => find(occupants, wanted, locale()), [occupants, wanted])
  const totals = useMemo(() => totalsOf(occupants), [occupants])
  const { groups, ...steady } = useSteady(useMemo(() => arranged(found, locale()), [found]))
  const rows = ({ rows: placed }: GroupOfRows, name: string): VNode => (
    <ul class="rows" aria-label={name} {...steady}>
      {placed.map(({ row, parent, depth }) => <Row key={row.key} thing={row} parent={parent} depth={depth} chosen={store.selected.value === row.key}
        fresh={came.has(row.key)} own={store.own.value === row.key} then={store.time.value?.at} show={show} />)}
    </ul>
  )
  const loaded = store.snapshot.value !== undefined
  return (
    <>
      <div class="tools">
        <input type="search" aria-label={text('residents.find')} placeholder={text('residents.findHint')} value={wanted}
          onInput={(event) => { store.wanted.value = event.currentTarget.value }} />
        <Totals totals={totals} />
        <p class="soft">{!loaded ? text('status.unread') : wanted === ''
          ? [counted(occupants), ...usedWords(totals)].join(' · ')
          : text('residents.of', { shown: found.length, count: occupants.length })}</p>
      </div>
      <Departures left={left} />
      {groups.map((group) => {
        if (groups.length === 1 && group.name === '') return rows(group, text('tab.residents'))
        const name = clean(group.name, 64) || text('residents.others')
        return <section key={group.name} class="group" aria-label={name}><h2><bdi>{name}</bdi></h2>{rows(group, name)}</section>
      })}
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
