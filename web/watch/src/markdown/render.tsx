import type { Token, Tokens } from 'marked'
import type { ComponentChildren, VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { text as words } from '../text/text.js'
import { indented, isJson } from './json.js'
import { lex } from './lex.js'

/** Deeper nesting is shown as source text. */
const deepest = 12

/**
 * Renders a Markdown text. Only the kinds listed here become elements: HTML stays text, an image
 * becomes a link, and only links to web pages and mailboxes are links. Text that cannot be parsed stays as it is.
 */
export function Rendered({ text }: { text: string }): VNode {
  return useMemo(() => {
    if (isJson(text)) return <Code text={indented(text)} />
    const tokens = lex(text)
    return tokens === undefined ? <p class="plain">{text}</p> : <>{all(tokens, 0)}</>
  }, [text])
}

function all(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  return (tokens ?? []).map((token) => element(token as Tokens.Generic, depth))
}

function element(token: Tokens.Generic, depth: number): ComponentChildren {
  if (depth > deepest) return token.raw
  const inner = (): ComponentChildren => token.tokens === undefined ? plain(token) : all(token.tokens, depth + 1)
  switch (token.type) {
    case 'space': case 'def': return null
    case 'paragraph': return <p>{inner()}</p>
    case 'heading': return <p class="heading"><strong>{inner()}</strong></p>
    case 'strong': return <strong>{inner()}</strong>
    case 'em': return <em>{inner()}</em>
    case 'del': return <del>{inner()}</del>
    case 'codespan': return <code>{plain(token)}</code>
    case 'br': return <br />
    case 'hr': return <hr />
    case 'code': return <Code text={plain(token)} />
    case 'blockquote': return <blockquote>{inner()}</blockquote>
    case 'list': return list(token as Tokens.List, depth)
    case 'table': return table(token as Tokens.Table, depth)
    case 'link': case 'image': return <Link to={String(token.href)}>{token.type === 'image' ? plain(token) : inner()}</Link>
    case 'text': return inner()
    case 'escape': return plain(token)
    default: return token.raw
  }
}

function list({ ordered, start, items }: Tokens.List, depth: number): VNode {
  const rows = items.map((item) => <li>{item.task && (item.checked === true ? '☑ ' : '☐ ')}{all(item.tokens, depth + 1)}</li>)
  return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>
}

function table({ header, rows }: Tokens.Table, depth: number): VNode {
  return (
    <div class="wide" tabIndex={0}><table>
      <thead><tr>{header.map((cell) => <th scope="col">{all(cell.tokens, depth + 1)}</th>)}</tr></thead>
      <tbody>{rows.map((row) => <tr>{row.map((cell) => <td>{all(cell.tokens, depth + 1)}</td>)}</tr>)}</tbody>
    </table></div>
  )
}

function plain(token: Tokens.Generic): string {
  return typeof token.text === 'string' ? token.text : token.raw
}

function Link({ to, children }: { to: string, children: ComponentChildren }): VNode {
  return /^(?:https?:\/\/|mailto:)/iu.test(to)
    ? <a href={to} target="_blank" rel="noopener noreferrer nofollow" title={to}>{children}</a>
    : <span>{children}</span>
}

function Code({ text }: { text: string }): VNode {
  const [copied, copy] = useState(false)
  // The clipboard exists in a secure context only.
  const clipboard = navigator.clipboard as Clipboard | undefined
  return (
    <div class="code">
      <pre tabIndex={0}><code>{text}</code></pre>
      {clipboard !== undefined && <button type="button" class="small" onClick={() => { void clipboard.writeText(text).then(() => { copy(true) }) }}>{words(copied ? 'proof.copied' : 'proof.copy')}</button>}
    </div>
  )
}
