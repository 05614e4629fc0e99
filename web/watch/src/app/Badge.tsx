import type { VNode } from 'preact'
import { COATS, lookOf } from '../town/look.js'
import type { Thing } from '../world/rows.js'

/** The small picture of a thing: an agent's coat with its initial, a sign for the rest. */
export function Badge({ thing }: { thing: Thing }): VNode {
  const agent = thing.kind === 'agent'
  const colour = agent ? COATS[lookOf(thing.id).coat] ?? COATS[0] : 'var(--wall-edge)'
  return (
    <svg class="badge" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      {agent
        ? <><path d="M6 31c0-9 4-14 10-14s10 5 10 14z" fill={colour} /><circle cx="16" cy="11" r="7" fill={colour} /><circle cx="16" cy="11" r="4.5" fill="var(--paper)" opacity=".85" /></>
        : <><path d="M6 15 16 6l10 9v12H6z" fill="var(--wall)" stroke={colour} stroke-width="2" /><path d="M4 16 16 5l12 11" fill="none" stroke="var(--roof)" stroke-width="3" stroke-linecap="round" stroke-linejoin="round" /><path d={thing.kind === 'mcp' ? 'M13 27v-6h6v6M16 14v4' : 'M13 27v-8h6v8'} fill="none" stroke={colour} stroke-width="2" /></>}
    </svg>
  )
}
