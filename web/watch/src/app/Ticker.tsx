import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { readEvent } from '@playctl/sdk'
import type { Entry } from '../feed/entry.js'
import { plainWords } from '../markdown/plain.js'
import { text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'

/** The newest line, below a map that is too narrow for bubbles; it opens the line as a whole. */
export function Ticker({ store }: { store: WorldStore }): VNode | null {
  const [entry, put] = useState<Entry | undefined>(undefined)
  useEffect(() => {
    const ends = [
      store.listen((_, told) => { if (told.group === 'speech' && told.text !== '' && store.time.peek() === undefined) put(told) }),
      store.listenToPast((event) => {
        if (event === undefined) put(undefined)
        const known = event && readEvent(event)
        if (known?.kind !== 'world:interaction') return
        const key = store.directory.peek().whose(known.data.playerId)?.key
        if (key !== undefined) put(store.feed.lastOf(key, event?.seq, 'speech'))
      }),
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
