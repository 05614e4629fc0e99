import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { limits, type JsonObject } from '@playctl/sdk'
import { FleetingButton } from '../app/FleetingButton.js'
import { nameOf } from '../app/names.js'
import { LookOnly } from '../assist/AssistTools.js'
import { assistToolsOf } from '../assist/tools.js'
import { clamp } from '../feed/entry.js'
import { Markdown } from '../markdown/Markdown.js'
import { text, type TextKey } from '../text/text.js'
import type { AgentThing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'
import { draftTo, keepDraft } from './drafts.js'
import type { Exchange } from './exchange.js'
import { membersOf, wordsOf } from './result.js'
import { Waiting } from './Waiting.js'

/** The questions to an agent with its answers, and the form for a question. */
export function Conversation({ store, agent }: { store: WorldStore, agent: AgentThing }): VNode {
  const mine = store.exchanges.value.filter((exchange) => exchange.agentId === agent.id)
  const log = useRef<HTMLDivElement>(null)
  const newest = mine.at(-1)
  useEffect(() => { log.current?.scrollTo({ top: log.current.scrollHeight }) }, [newest?.answer, newest?.status])
  const may = store.scope.value === 'act'
  return (
    <section aria-label={text('chat.title')}>
      <h3>{text('chat.title')}</h3>
      {mine.length === 0 && may && <p class="soft">{text('chat.none')}</p>}
      <div class="log" role="log" aria-live="off" aria-label={text('chat.conversation')} tabIndex={mine.length > 0 ? 0 : -1} ref={log}>
        {mine.map((exchange) => <Talk key={exchange.requestId} exchange={exchange} agent={agent} store={store} />)}
      </div>
      {may ? <Message key={agent.key} store={store} agent={agent} /> : assistToolsOf(agent).length === 0 && <LookOnly />}
    </section>
  )
}

const words: Readonly<Record<Exchange['status'], TextKey>> = {
  'sending': 'chat.sending', 'not-sent': 'chat.notSent', 'started': 'chat.started', 'forwarded': 'chat.forwarded',
  'stream': 'chat.stream', 'completed': 'chat.completed', 'failed': 'chat.failed',
}

function Talk({ exchange, agent, store }: { exchange: Exchange, agent: AgentThing, store: WorldStore }): VNode {
  const { toolName, question } = exchange
  const again = (): void => {
    const what = toolName === '' ? { text: question } : { toolName, args: JSON.parse(question) as JsonObject }
    void store.ask(agent, what, exchange.requestId)
  }
  return (
    <article class={`talk ${exchange.status}`} tabIndex={-1} data-request={exchange.requestId} data-status={exchange.status}>
      <p class="mine" dir="auto"><span class="soft">{text('chat.you')}{toolName !== '' && <> {text('chat.used', { tool: toolName })}</>}</span>
        <span>{question}</span></p>
      {exchange.answer !== '' && <div class="theirs"><Markdown text={exchange.answer} /></div>}
      {exchange.result !== undefined && <Result result={exchange.result} />}
      {exchange.error !== '' && <p class="theirs wrong" dir="auto">{exchange.error}
        {exchange.detail !== '' && <span class="soft" dir="auto">{exchange.detail}</span>}</p>}
      <p class="soft state">{text(words[exchange.status])}
        {(exchange.status === 'started' || exchange.status === 'forwarded') && <Waiting store={store} agentId={agent.id} since={exchange.at} />}
        {exchange.status === 'not-sent' && <> <FleetingButton onClick={again}>{text('chat.retry')}</FleetingButton></>}</p>
    </article>
  )
}

/** The number of listed members of a result; a longer result is shown as JSON. */
const listed = 20

/** The part of an answer besides its text. */
function Result({ result }: { result: JsonObject }): VNode {
  const members = membersOf(result)
  return (
    <div class="theirs result" role="group" aria-label={text('chat.result')}>
      {members.length <= listed && members.every(([, value]) => typeof value !== 'object')
        ? <dl>{members.map(([name, value]) => <div key={name}><dt>{clamp(name, 80)}</dt><dd><bdi>{clamp(wordsOf(value), 2000)}</bdi></dd></div>)}</dl>
        : <pre tabIndex={0}><code>{clamp(JSON.stringify(Object.fromEntries(members), null, 2), 20_000)}</code></pre>}
    </div>
  )
}

function Message({ store, agent }: { store: WorldStore, agent: AgentThing }): VNode {
  const [message, setMessage] = useState(draftTo(store, agent.key))
  const write = (text: string): void => {
    setMessage(text)
    keepDraft(store, agent.key, text)
  }
  const offline = store.link.value.state !== 'live'
  const send = (event: Event): void => {
    event.preventDefault()
    if (message.trim() !== '' && !offline) {
      void store.ask(agent, { text: message.trim() })
      write('')
    }
  }
  const nothing = offline || message.trim() === ''
  const enter = (event: KeyboardEvent): void => { if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event) }
  return (
    <form class="message" onSubmit={send}>
      <textarea rows={1} dir="auto" maxLength={limits.maxInteractionChars} aria-label={text('chat.to', { who: nameOf(agent) })} placeholder={text('chat.placeholder')} value={message}
        onInput={(event) => { write(event.currentTarget.value) }} onKeyDown={enter} />
      <button type="submit" aria-label={text('chat.send')} aria-disabled={nothing}>↑</button>
      {offline && <p class="soft">{text('assist.offline')}</p>}
    </form>
  )
}
