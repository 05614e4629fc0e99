import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { text } from '../text/text.js'

/** Why access is refused. */
export type Refusal = 'no-link' | 'expired' | 'no-pass' | 'pass-expired' | 'host'

const words = {
  'no-link': { title: 'refused.title', why: 'refused.why' },
  'expired': { title: 'refused.expiredTitle', why: 'refused.expiredWhy' },
  'no-pass': { title: 'refused.title', why: 'refused.frameWhy' },
  'pass-expired': { title: 'refused.expiredTitle', why: 'refused.frameExpiredWhy' },
  'host': { title: 'refused.hostTitle', why: 'refused.hostWhy' },
} as const

/** The screen for people without access, with what they can do. */
export function Refused({ refusal, again }: { refusal: Refusal, again: () => void }): VNode {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => { heading.current?.focus() }, [])
  const { title, why } = words[refusal]
  return (
    <main class="gate">
      <div class="card">
        <img src={new URL('../icon.svg', import.meta.url).href} alt="" width="56" height="56" />
        <h1 tabIndex={-1} ref={heading}>{text(title)}</h1>
        <p>{text(why)}</p>
        {(refusal === 'no-link' || refusal === 'expired') && <>
          <h2>{text('refused.askTitle')}</h2>
          <p>{text('refused.ask')}</p>
          <pre><code>playctl watch</code></pre>
          <p>{text('refused.own')}</p>
        </>}
        <button type="button" onClick={again}>{text('refused.again')}</button>
      </div>
    </main>
  )
}

/** The screen while the host does not answer. */
export function Unreachable({ again }: { again: () => void }): VNode {
  return (
    <main class="gate">
      <div class="card">
        <h1>{text('unreachable.title')}</h1>
        <p>{text('unreachable.why')}</p>
        <button type="button" onClick={again}>{text('refused.again')}</button>
      </div>
    </main>
  )
}
