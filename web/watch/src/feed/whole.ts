import { useEffect, useState } from 'preact/hooks'
import { asText } from '@playctl/sdk'
import type { WorldStore } from '../world/store.js'
import { textLimit, type Entry } from './entry.js'

/** All that was said in a happening, of which a part may be kept; undefined while the host is asked for it. */
export function useWhole(store: WorldStore, entry: Entry): string | undefined {
  const [whole, put] = useState<string | undefined>(undefined)
  const { seq, text, request } = entry
  const cut = request === undefined && seq !== undefined && text.length >= textLimit
  useEffect(() => {
    if (!cut) return
    store.client.listEvents({ afterSeq: seq - 1, limit: 1 }).then(({ events: [event] }) => {
      const { data } = event ?? {}
      const fields = typeof data === 'object' && data !== null && !Array.isArray(data) ? data as { text?: unknown, message?: unknown } : {}
      put(event?.seq === seq ? asText(fields.text) ?? asText(fields.message) ?? text : text)
    }, () => { put(text) })
  }, [store, seq, text, cut])
  return cut ? whole : text
}
