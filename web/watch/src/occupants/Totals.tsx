import type { VNode } from 'preact'
import { StateSign } from '../app/StateSign.js'
import { compact, money, text } from '../text/text.js'
import { states, type Totals as AgentTotals } from './order.js'

/** How many agents are in each state; nothing if no agent says what it does. */
export function Totals({ totals: { counts } }: { totals: AgentTotals }): VNode | null {
  const shown = states.filter((state) => counts[state] > 0)
  if (shown.length === 0) return null
  return (
    <ul class="totals" aria-label={text('totals.name')}>
      {shown.map((state) => <li key={state} class={`doing ${state}`}><StateSign state={state} />{text(`totals.${state}`, { count: counts[state] })}</li>)}
    </ul>
  )
}

/** Returns what runs have used in words; empty if that is not known. */
export function usedWords({ tokens, costUsd }: Pick<AgentTotals, 'tokens' | 'costUsd'>): readonly string[] {
  return [...(tokens === undefined ? [] : [text('usage.tokens', { tokens: compact(tokens) })]), ...(costUsd === undefined ? [] : [money(costUsd)])]
}
