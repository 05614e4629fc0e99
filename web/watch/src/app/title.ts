import { useEffect } from 'preact/hooks'
import { totalsOf } from '../occupants/order.js'
import { number, text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'
import { worldName } from './served.js'

/** Keeps the title of the tab: the world, its agents, and first the number of those that wait for a person. */
export function useTitle(store: WorldStore): void {
  const { occupants } = store.directory.value
  // Nobody is counted before the map is known.
  const known = store.snapshot.value !== undefined
  const title = known ? text('page.titleWith', { count: occupants.filter(({ kind }) => kind === 'agent').length, world: worldName() }) : worldName()
  const { waiting } = totalsOf(occupants).counts
  useEffect(() => { document.title = waiting === 0 ? title : `(${number(waiting)}) ${title}` }, [title, waiting])
}
