import type { ComponentType, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isJson } from './json.js'
import { marks } from './plain.js'

/** A longer text is shown as plain text. */
const longest = 20_000

type Rendered = ComponentType<{ text: string }>

let renderer: Promise<Rendered> | undefined

/** A text that may be Markdown, such as an answer. The parser is loaded with the first one. */
export function Markdown({ text }: { text: string }): VNode {
  const [loaded, load] = useState<{ Rendered: Rendered } | undefined>(undefined)
  const wanted = text.length <= longest && (marks.test(text) || isJson(text))
  useEffect(() => {
    if (!wanted || loaded !== undefined) return undefined
    let gone = false
    renderer ??= import('./render.js').then((module) => module.Rendered)
    renderer.then((Rendered) => { if (!gone) load({ Rendered }) }, () => { renderer = undefined })
    return () => { gone = true }
  }, [wanted, loaded])
  return wanted && loaded !== undefined
    ? <div class="markdown" dir="auto"><loaded.Rendered text={text} /></div>
    : <div class="markdown plain" dir="auto">{text}</div>
}
