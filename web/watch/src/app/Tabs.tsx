import type { VNode } from 'preact'
import { tabBy } from './onward.js'

interface TabsProps<Name extends string> {
  /** The accessible name of the tabs. */
  readonly label: string
  readonly names: readonly Name[]
  readonly shown: Name
  /** Returns the text of a tab. */
  readonly word: (name: Name) => string
  /** The prefix of tab ids. */
  readonly id: string
  /** The id of the element that shows the content of the current tab. */
  readonly controls: string
  readonly choose: (name: Name) => void
}

/** Tabs; arrow keys move from one to the next. */
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
