import type { VNode } from 'preact'
import { text } from '../text/text.js'
import { tabNames as names, type TabName } from './address.js'
import { tabBy } from './onward.js'

/** The tabs beside the map; arrow keys go from one to the next. */
export function Tabs({ tab, choose }: { tab: TabName, choose: (tab: TabName) => void }): VNode {
  const move = (event: KeyboardEvent): void => {
    const next = tabBy(event, names, tab)
    if (next === undefined) return
    event.preventDefault()
    choose(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <div role="tablist" aria-label={text('page.world')} class="tabs" onKeyDown={move}>
      {names.map((name) => (
        <button key={name} type="button" role="tab" id={`tab-${name}`} aria-selected={name === tab}
          {...(name === tab ? { 'aria-controls': `panel-${name}` } : {})}
          tabIndex={name === tab ? 0 : -1} onClick={() => { choose(name) }}>
          {text(`tab.${name}`)}
        </button>
      ))}
    </div>
  )
}
