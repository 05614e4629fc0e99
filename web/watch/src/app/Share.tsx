import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'
import { linkToNow } from './address.js'

/** How long the button states that the link was copied, in milliseconds. */
const shownFor = 3000

/** Copies a link to the current view and moment; if the page may not copy, shows it. */
export function Share({ store }: { store: WorldStore }): VNode {
  const [copied, copy] = useState(false)
  const [link, showLink] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => { copy(false) }, shownFor)
    return () => { clearTimeout(timer) }
  }, [copied])
  const share = async (): Promise<void> => {
    const address = linkToNow(store)
    try {
      // The clipboard exists in a secure context only.
      await navigator.clipboard.writeText(address)
      copy(true)
      showLink('')
    } catch {
      showLink(address)
    }
  }
  return (
    <div class="share">
      <button type="button" class="small" ref={button} title={text('page.shareWhy')} onClick={() => { void share() }}>{text(copied ? 'page.shared' : 'page.share')}</button>
      {link !== '' && <input readOnly aria-label={text('page.shareLink')} value={link} ref={(field) => { field?.select() }}
        onKeyDown={(event) => { if (event.key === 'Escape') { event.preventDefault(); showLink(''); button.current?.focus() } }} onBlur={() => { showLink('') }} />}
    </div>
  )
}
