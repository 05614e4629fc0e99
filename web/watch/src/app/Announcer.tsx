import { useCallback, useEffect, useState } from 'preact/hooks'
import type { VNode } from 'preact'
import type { Entry } from '../feed/entry.js'
import { text } from '../text/text.js'
import { digest, isAnnounced } from './digest.js'
import { quiet } from './quiet.js'
import type { WorldStore } from '../world/store.js'

/** Events within this many milliseconds are announced together, so that a busy world does not overwhelm the listener. */
const gathered = 4000

/** The text of a keyboard selection on the map, and its number. */
export interface Pointed {
  readonly text: string
  readonly turn: number
}

/** Puts text into an element that is new with every turn, so that the same text twice is read out twice. */
function Said({ text: words, turn }: Pointed): VNode {
  return <p key={turn}>{words}</p>
}

/**
 * The live regions. One announces arrivals, departures and lines, unless that is turned off, and the state of
 * the connection; the other announces keyboard selections on the map immediately.
 */
export function Announcer({ store, pointed }: { store: WorldStore, pointed: Pointed }): VNode {
  const [said, put] = useState({ text: '', turn: 0 })
  const say = useCallback((words: string) => { put((last) => ({ text: words, turn: last.turn + 1 })) }, [])
  const link = store.link.value.state
  useEffect(() => {
    const waiting: Entry[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = store.listen((event, entry) => {
      if (event.past || quiet.peek() || store.time.peek() !== undefined || !isAnnounced(entry)) return
      if (waiting.push(entry) > 1) return
      timer = setTimeout(() => { say(digest(waiting.splice(0))) }, gathered)
    })
    return () => { clearTimeout(timer); end() }
  }, [store, say])
  useEffect(() => {
    if (link === 'reconnecting') say(text('say.reconnecting'))
    if (link === 'host-gone') say(text('say.hostGone'))
    if (link === 'resetting') say(text('say.reset'))
    if (link === 'live') say(text('say.live'))
  }, [link, say])
  return (
    <>
      <div role="status" class="unseen"><Said text={said.text} turn={said.turn} /></div>
      <div role="status" class="unseen"><Said text={pointed.text} turn={pointed.turn} /></div>
    </>
  )
}
