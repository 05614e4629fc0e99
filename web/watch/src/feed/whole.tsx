import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { asObject, type ListEventsReply } from '@playctl/sdk'
import { Markdown } from '../markdown/Markdown.js'
import { text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'
import { wordsOf } from './describe.js'
import { textLimit, type Entry } from './entry.js'

/** The full text of an entry, which may keep only a part of it. */
export function Whole({ store, entry }: { store: WorldStore, entry: Entry }): VNode {
  const [read, put] = useState<{ readonly of: number, readonly words: string | undefined } | undefined>(undefined)
  const cut = isCut(entry)
  useEffect(() => {
    if (!cut || entry.seq === undefined) return undefined
    let gone = false
    const take = (words: string | undefined): void => { if (!gone) put({ of: entry.serial, words }) }
    store.client.listEvents({ afterSeq: entry.seq - 1, limit: 1 }).then((reply) => { take(wholeOf(entry, reply)) }, () => { take(undefined) })
    return () => { gone = true }
  }, [store, entry.serial, cut])
  const there = read?.of === entry.serial
  if (cut && !there) return <p class="soft" role="status">{text('read.reading')}</p>
  const words = read?.words ?? entry.text
  return <>
    {entry.group === 'journey' ? <p dir="auto">{words}</p> : <Markdown text={words} />}
    {cut && read?.words === undefined && <p class="wrong" role="status">{text('read.failed')}</p>}
  </>
}

/** Reports whether the host has more of the text; an answer in parts is joined here. */
const isCut = ({ request, seq, text: words }: Entry): boolean => request === undefined && seq !== undefined && words.length >= textLimit

/** Returns the full text of an entry from the host's event at its position; undefined if that is another event, such as one of another world. */
export function wholeOf(entry: Entry, { events: [listed] }: Pick<ListEventsReply, 'events'>): string | undefined {
  const data = asObject(listed?.data)
  if (listed === undefined || data === undefined || listed.seq !== entry.seq || listed.event !== entry.event) return undefined
  const words = wordsOf({ seq: listed.seq, kind: listed.event, data })
  return words.startsWith(entry.text.slice(0, -1)) ? words : undefined
}
