import type { VNode } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { FleetingButton } from '../app/FleetingButton.js'
import { text } from '../text/text.js'
import { clockTime } from '../text/times.js'
import type { AgentThing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'
import { mergeLines, readLine, readLines, type Line } from './line.js'

/** What an agent said and heard lately. */
export function Lines({ store, agent }: { store: WorldStore, agent: AgentThing }): VNode {
  const [lines, setLines] = useState<readonly Line[]>([])
  const [stage, setStage] = useState<'loading' | 'there' | 'failed'>('loading')
  const [more, setMore] = useState(false)
  const read = useCallback(async (beforeSeq?: number) => {
    try {
      const reply = await store.lines(agent, beforeSeq)
      setLines((known) => mergeLines(known, readLines(reply)))
      setMore(reply.hasMore)
      setStage('there')
    } catch {
      setStage('failed')
    }
  }, [store, agent.id, agent.key])
  useEffect(() => {
    void read()
    return store.listen((event) => {
      // Lines are missing, or are another world's.
      if (event.kind === 'session:resync' || event.kind === 'session:reset') {
        setLines([])
        void read()
      }
      if (event.kind === 'world:interaction' && event.data.playerId === agent.id) {
        setLines((known) => mergeLines(known, [readLine(event.data)]))
      }
    })
  }, [store, agent.id, read])
  return (
    <section tabIndex={-1} aria-label={text('lines.title')}>
      <h3>{text('lines.title')}</h3>
      {stage === 'loading' && <p class="soft">{text('lines.loading')}</p>}
      {stage === 'failed' && <p class="wrong">{text('lines.failed')} <FleetingButton onClick={() => { void read() }}>{text('refused.again')}</FleetingButton></p>}
      {stage === 'there' && lines.length === 0 && <p class="soft">{text('lines.none')}</p>}
      <ol class="lines" reversed>
        {[...lines].reverse().map((line) => (
          <li key={line.seq} class={line.role}>
            <span class="soft">{text(`lines.${line.role}`)} · <time dateTime={new Date(line.at).toISOString()}>{clockTime(line.at)}</time></span>
            <p dir="auto">{line.text}</p>
          </li>
        ))}
      </ol>
      {more && lines.length < 200 && <FleetingButton onClick={() => { void read(lines[0]?.seq) }}>{text('lines.earlier')}</FleetingButton>}
    </section>
  )
}
