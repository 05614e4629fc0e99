import type { VNode } from 'preact'
import { tabBy } from './onward.js'

interface TabsProps<Name extends string> {
  /** What they are called together. */
  readonly label: string
  readonly names: readonly Name[]
  readonly shown: Name
  /** The words of a tab. */
  readonly word: (name: Name) => string
  /** What the id of a tab begins with. */
  readonly id: string
  /** The id of what the tab shows that is shown. */
  readonly controls: string
  readonly choose: (name: Name) => void
}

/** Tabs; arrow keys go from one to the next. */
export function Tabs<Name extends string>({ label, names, shown, word, id, controls, choose }: TabsProps<Name>): VNode {
  const move = (event: KeyboardEvent): void => {
    const next = tabBy(event, names, shown)
    if (next === undefined) return
    event.preventDefault()
    choose(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <div role="tablist" aria-label={label} class="tabs" onKeyDown={move}>{names.map((name) => (
      <button key={name} type="button" role="tab" id={`${id}-${name}`} aria-selected={name === shown} {...(name === shown ? { 'aria-controls': controls } : {})}
        tabIndex={name === shown ? 0 : -1} onClick={() => { choose(name) }}>{word(name)}</button>
    ))}</div>
  )
}
