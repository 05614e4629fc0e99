import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { asObject, type ListEventsReply } from '@playctl/sdk'
import { Markdown } from '../markdown/Markdown.js'
import { text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'
import { wordsOf } from './describe.js'
import { textLimit, type Entry } from './entry.js'

/** All that was said in a happening, of which a part may be kept. */
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

/** Whether the host has more of the words; those of an answer that comes in parts are gathered here. */
const isCut = ({ request, seq, text: words }: Entry): boolean => request === undefined && seq !== undefined && words.length >= textLimit

/** All words of a happening in what the host lists at its place; undefined where another one is there, such as that of another world. */
export function wholeOf(entry: Entry, { events: [listed] }: Pick<ListEventsReply, 'events'>): string | undefined {
  const data = asObject(listed?.data)
  if (listed === undefined || data === undefined || listed.seq !== entry.seq || listed.event !== entry.event) return undefined
  const words = wordsOf({ seq: listed.seq, kind: listed.event, data })
  return words.startsWith(entry.text.slice(0, -1)) ? words : undefined
}
