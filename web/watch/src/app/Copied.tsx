import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../text/text.js'

/** Text with a button that copies it; if the page may not copy, the text is selected. */
export function Copied({ words }: { words: string }): VNode {
  const [copied, copy] = useState(false)
  useEffect(() => { copy(false) }, [words])
  const code = useRef<HTMLElement>(null)
  const take = async (): Promise<void> => {
    try {
      // The clipboard exists in a secure context only.
      await navigator.clipboard.writeText(words)
      copy(true)
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current)
    }
  }
  return (
    <div class="copied">
      <pre tabIndex={0}><code ref={code}>{words}</code></pre>
      <button type="button" class="small" onClick={() => { void take() }}>{text(copied ? 'proof.copied' : 'proof.copy')}</button>
    </div>
  )
}
