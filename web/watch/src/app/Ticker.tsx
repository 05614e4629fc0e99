import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Entry } from '../feed/entry.js'
import { plainWords } from '../markdown/plain.js'
import { text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'

/** The newest line, below a map that is too narrow for bubbles; a press opens the full line. */
export function Ticker({ store }: { store: WorldStore }): VNode | null {
  const [entry, put] = useState<Entry | undefined>(undefined)
  useEffect(() => {
    const ends = [
      store.listen((_, told) => { if (told.group === 'speech' && told.text !== '' && store.time.peek() === undefined) put(told) }),
      store.replayed.listen((event, told) => { if (event === undefined || told?.group === 'speech') put(told) }),
    ]
    return () => { for (const end of ends) end() }
  }, [store])
  if (entry === undefined) return null
  return (
    <button type="button" class="ticker" title={text('read.open')} onClick={() => { store.read.value = entry }}>
      <b><bdi>{entry.name}</bdi></b> <bdi>{plainWords(entry.text)}</bdi>
    </button>
  )
}
