import type { VNode } from 'preact'
import type { Thing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'
import { About } from './About.js'
import { ProveAgent } from './ProveAgent.js'

interface FactsProps {
  readonly store: WorldStore
  readonly thing: Thing
  /** Whether it is on the map now: only then the host can prove its row. */
  readonly provable: boolean
  readonly show: (key: string) => void
}

/** The facts about a thing, and the proof of its row. */
export function FactsOf({ store, thing, provable, show }: FactsProps): VNode {
  return (
    <>
      <About store={store} thing={thing} show={show} />
      {provable && <ProveAgent key={thing.key} store={store} stableKey={thing.key} />}
    </>
  )
}
