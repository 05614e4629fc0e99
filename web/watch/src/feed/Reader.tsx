import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Sentence } from '../app/Sentence.js'
import { text } from '../text/text.js'
import { wholeTime } from '../text/times.js'
import type { WorldStore } from '../world/store.js'
import type { Entry } from './entry.js'
import { Whole } from './whole.js'

/** One happening with all of its words. */
export function Reader({ store, entry }: { store: WorldStore, entry: Entry }): VNode {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    box.current?.focus({ preventScroll: true })
    // Escape closes this first, and what is selected only then.
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      store.read.value = undefined
    }
    addEventListener('keydown', escape, true)
    return () => {
      removeEventListener('keydown', escape, true)
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [store, entry.serial])
  return (
    <div class="reader" role="dialog" aria-label={text('read.title')} tabIndex={-1} ref={box}>
      <div class="heading">
        <p><b><Sentence of={entry.sentence} values={{ ...entry.values, who: <bdi>{entry.name}</bdi> }} /></b>{' '}
          <time class="soft" dateTime={new Date(entry.at).toISOString()}>{wholeTime(entry.at)}</time></p>
        <button type="button" class="close" aria-label={text('read.close')} onClick={() => { store.read.value = undefined }}>×</button>
      </div>
      <div class="words" tabIndex={0} role="group" aria-label={text('read.title')}>
        <Whole store={store} entry={entry} />
      </div>
    </div>
  )
}
