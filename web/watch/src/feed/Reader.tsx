import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { Sentence } from '../app/Sentence.js'
import { useSheet } from '../app/sheet.js'
import { text } from '../text/text.js'
import { wholeTime } from '../text/times.js'
import type { WorldStore } from '../world/store.js'
import type { Entry } from './entry.js'
import { Whole } from './whole.js'

/** One entry with its full text. */
export function Reader({ store, entry }: { store: WorldStore, entry: Entry }): VNode {
  const box = useRef<HTMLDivElement>(null)
  const close = (): void => { store.read.value = undefined }
  useSheet(box, undefined, close)
  return (
    <div class="reader" role="dialog" aria-label={text('read.title')} tabIndex={-1} ref={box}>
      <div class="heading">
        <p><b><Sentence of={entry.sentence} values={{ ...entry.values, who: <bdi>{entry.name}</bdi> }} /></b>{' '}
          <time class="soft" dateTime={new Date(entry.at).toISOString()}>{wholeTime(entry.at)}</time></p>
        <button type="button" class="close" aria-label={text('read.close')} onClick={close}>×</button>
      </div>
      <div class="words" tabIndex={0} role="group" aria-label={text('read.title')}>
        <Whole store={store} entry={entry} />
      </div>
    </div>
  )
}
