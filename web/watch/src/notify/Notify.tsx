import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { FleetingButton } from '../app/FleetingButton.js'
import { quiet, setQuiet } from '../app/quiet.js'
import { useSheet } from '../app/sheet.js'
import { text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'
import { Notifier, longestWord, mostWishes, wishName } from './notifier.js'

/** Returns the notifier of a world, while the page is open. */
export function useNotifier(store: WorldStore): Notifier {
  const notifier = useMemo(() => new Notifier(store), [store])
  useEffect(() => notifier.listen(), [notifier])
  return notifier
}

/** The button that opens the settings of notifications. */
export function Notify({ store, notifier }: { store: WorldStore, notifier: Notifier }): VNode {
  const open = store.sheet.value === 'notify'
  const count = notifier.wishes.value.length
  return (
    <div class="share notify">
      <button type="button" class="small" aria-expanded={open} aria-controls="notify" title={text('notify.why')}
        onClick={() => { store.sheet.value = open ? undefined : 'notify' }}>{count === 0 ? text('notify.title') : text('notify.count', { count })}</button>
      {open && <Wishes notifier={notifier} close={() => { store.sheet.value = undefined }} />}
    </div>
  )
}

function Wishes({ notifier, close }: { notifier: Notifier, close: () => void }): VNode {
  const [word, write] = useState('')
  const box = useRef<HTMLDivElement>(null)
  const wishes = notifier.wishes.value
  useSheet(box, '.notify', close)
  const add = (event: Event): void => {
    event.preventDefault()
    if (word.trim() === '') return
    void notifier.add({ kind: 'word', word: word.trim() })
    write('')
  }
  return (
    <div class="wishes" id="notify" role="group" aria-label={text('notify.heading')} tabIndex={-1} ref={box}>
      <h2>{text('notify.heading')}</h2>
      {notifier.allowed.value === 'denied' && <p class="wrong" role="status">{text('notify.denied')}</p>}
      {wishes.length === 0 ? <p class="soft">{text('notify.none')}</p> : <ul>{wishes.map((wish) => (
        <li key={wishName(wish)}><bdi>{wishName(wish)}</bdi>
          <FleetingButton label={text('notify.remove', { what: wishName(wish) })} onClick={() => { notifier.remove(wish) }}>×</FleetingButton></li>
      ))}</ul>}
      {!wishes.some(({ kind }) => kind === 'needs') && <button type="button" class="small" onClick={() => { box.current?.focus(); void notifier.add({ kind: 'needs' }) }}>{text('notify.needs')}</button>}
      <form onSubmit={add}>
        <input dir="auto" maxLength={longestWord} aria-label={text('notify.word')} placeholder={text('notify.word')} value={word} autocomplete="off"
          onInput={(event) => { write(event.currentTarget.value) }} />
        <button type="submit" class="small" aria-disabled={word.trim() === ''}>{text('notify.add')}</button>
      </form>
      <p class="soft">{text('notify.kept', { count: mostWishes })}</p>
      <label class="choice"><input type="checkbox" checked={!quiet.value} onChange={(event) => { setQuiet(!event.currentTarget.checked) }} />{text('notify.aloud')}</label>
    </div>
  )
}
