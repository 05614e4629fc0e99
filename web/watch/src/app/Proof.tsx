import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { text } from '../text/text.js'
import { clockTime } from '../text/times.js'
import { Copied } from './Copied.js'
import { hasAccounts, hostAddress } from './served.js'
import { useSheet } from './sheet.js'
import type { WorldStore } from '../world/store.js'

/** Shows what this browser verified, and how to check it elsewhere. */
export function Proof({ store, why, close }: { store: WorldStore, why: string, close: () => void }): VNode {
  const box = useRef<HTMLDivElement>(null)
  const { at, rev, leaves, events } = store.proved.value
  const root = store.snapshot.value?.merkleRootHex ?? ''
  useSheet(box, '.status', close)
  return (
    <div class="proof" id="proof" role="group" aria-label={text('proof.title')} tabIndex={-1} ref={box}>
      <h2>{text('proof.title')}</h2>
      <p>{why}</p>
      {at !== undefined && leaves !== undefined && <p>{text('proof.leaves', { count: leaves, when: clockTime(at), rev: String(rev ?? '–') })}</p>}
      <p>{text('proof.events', { count: events })}</p>
      {root !== '' && <>
        <h3>{text('proof.root')}</h3>
        <Copied words={root} />
      </>}
      <h3>{text('proof.elsewhere')}</h3>
      <Copied words={`playctl chain verify --server ${hostAddress()}`} />
      <p class="soft">{text('proof.elsewhereWhy')}{hasAccounts() && ` ${text('proof.account')}`}</p>
    </div>
  )
}
