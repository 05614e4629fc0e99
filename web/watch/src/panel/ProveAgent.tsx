import { useState } from 'preact/hooks'
import type { VNode } from 'preact'
import type { ProvedLeaf } from '@playctl/sdk'
import { faultOf } from '../access/faults.js'
import { text } from '../text/text.js'
import { clockTime } from '../text/times.js'
import type { WorldStore } from '../world/store.js'

interface Found { readonly leaf: ProvedLeaf, readonly at: number }

/** Proves the row of one thing by itself, and draws the path from it to the root. */
export function ProveAgent({ store, stableKey }: { store: WorldStore, stableKey: string }): VNode {
  const [found, set] = useState<Found | { readonly why: string } | undefined>(undefined)
  const prove = async (): Promise<void> => {
    try {
      set({ leaf: await store.client.provedLeaf(stableKey), at: Date.now() })
    } catch (cause) {
      set({ why: faultOf(cause).message })
    }
  }
  // The page has the map of that rev, unless it has changed meanwhile.
  const { rev, merkleRootHex } = store.snapshot.value ?? {}
  return (
    <section aria-label={text('prove.title')}>
      <h3>{text('prove.title')}</h3>
      <p class="soft">{text('prove.why')}</p>
      <button type="button" class="small" onClick={() => { void prove() }}>{text('prove.button')}</button>
      {found !== undefined && ('why' in found ? <p class="wrong" role="alert">{text('prove.failed', { why: found.why })}</p> : <>
        <p role="status">✓ {text('prove.proved', { index: found.leaf.leafIndex + 1, count: found.leaf.merkleLeafCount, rev: String(found.leaf.rev), when: clockTime(found.at) })}
          {rev === found.leaf.rev && merkleRootHex === found.leaf.merkleRootHex && <> {text('prove.same')}</>}</p>
        <Way leaf={found.leaf} />
      </>)}
    </section>
  )
}

/** The number of digits shown of a digest. */
const digits = 10
const rowHeight = 46

/** The levels of a proof from the root to the leaf, each digest beside its sibling. */
function Way({ leaf: { levels, merkleRootHex } }: { leaf: ProvedLeaf }): VNode {
  const rows = [...levels].reverse()
  const height = (rows.length + 1) * rowHeight
  return (
    <figure class="way">
      <svg viewBox={`0 0 320 ${height}`} role="img" aria-label={text('prove.drawn', { count: levels.length })}>
        {rows.map((level, i) => {
          const [own, other] = level.siblingSide === 'right' ? [82, 238] : [238, 82]
          const parent = i === 0 ? 160 : rows[i - 1]?.siblingSide === 'right' ? 82 : 238
          const [from, to] = [i * rowHeight + 28, (i + 1) * rowHeight + 4]
          return <g key={level.hex + level.siblingHex}>
            <path class="up" d={`M${own} ${to}L${parent} ${from}`} /><path class="beside" d={`M${other} ${to}L${parent} ${from}`} />
            <Digest hex={level.siblingHex} x={other} y={to} kind="sibling" />
            <Digest hex={level.hex} x={own} y={to} kind={i === rows.length - 1 ? 'leaf' : 'own'} />
          </g>
        })}
        <Digest hex={merkleRootHex} x={160} y={4} kind="root" />
      </svg>
      <figcaption class="soft">{text('prove.legend')}</figcaption>
    </figure>
  )
}

function Digest({ hex, x, y, kind }: { hex: string, x: number, y: number, kind: 'root' | 'own' | 'leaf' | 'sibling' }): VNode {
  return <g class={`digest ${kind}`}><title>{hex}</title><rect x={x - 56} y={y} width={112} height={24} rx={8} /><text x={x} y={y + 16} text-anchor="middle">{hex.slice(0, digits)}…</text></g>
}
