import type { VNode } from 'preact'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { FleetingButton } from '../app/FleetingButton.js'
import { nameOf } from '../app/names.js'
import { Markdown } from '../markdown/Markdown.js'
import { locale, number, text } from '../text/text.js'
import { wholeTime } from '../text/times.js'
import type { AgentThing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'
import { happened, jsonOf, markdownOf, more, most, readOn, search, unread, type Chapter, type Story } from './story.js'

/** All that an agent was asked, said and did, as far as the host keeps it. */
export function StoryOf({ store, agent }: { store: WorldStore, agent: AgentThing }): VNode {
  const [story, set] = useState<Story>(unread)
  const [stage, go] = useState<'reading' | 'there' | 'failed'>('reading')
  const [wanted, want] = useState('')
  const latest = useRef(story)
  latest.current = story
  const read = useCallback(async (from: Story) => {
    go('reading')
    try {
      const next = await readOn(store.client, agent.id, from)
      set(next)
      go('there')
      return next
    } catch {
      go('failed')
      return undefined
    }
  }, [store, agent.id])
  useEffect(() => {
    void read(unread).then((first) => { store.wasActive(agent, first?.chapters.find((chapter) => chapter.is === 'line')?.at) })
    return store.listen((event) => {
      // What is there is another world's, or has a gap.
      if (event.kind === 'session:resync' || event.kind === 'session:reset') void read(unread)
      else if (event.data.playerId === agent.id) set((known) => happened(known, event.kind, event.data, event.seq, event.at))
    })
  }, [store, agent.id, read])
  const found = useMemo(() => search(story.chapters, wanted, locale()), [story, wanted])
  const save = async (form: 'json' | 'md'): Promise<void> => {
    let whole: Story | undefined = latest.current
    while (whole !== undefined && more(whole)) whole = await read(whole)
    if (whole === undefined) return
    const name = nameOf(agent)
    const words = form === 'json' ? jsonOf(name, agent.id, whole.chapters) : markdownOf(name, whole.chapters)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([words], { type: form === 'json' ? 'application/json' : 'text/markdown' }))
    link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60)}.${form}`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <section tabIndex={-1} aria-label={text('lines.title')}>
      <h3>{text('lines.title')}</h3>
      <div class="storytools">
        <input type="search" aria-label={text('story.find')} placeholder={text('story.find')} value={wanted} onInput={(event) => { want(event.currentTarget.value) }} />
        <button type="button" class="small" onClick={() => { void save('json') }}>{text('story.json')}</button>
        <button type="button" class="small" onClick={() => { void save('md') }}>{text('story.markdown')}</button>
      </div>
      {stage === 'reading' && <p class="soft" role="status">{text('lines.loading')}</p>}
      {stage === 'failed' && <p class="wrong">{text('lines.failed')} <FleetingButton onClick={() => { void read(latest.current) }}>{text('refused.again')}</FleetingButton></p>}
      {stage === 'there' && found.length === 0 && <p class="soft">{text(wanted === '' ? 'lines.none' : 'story.noneMatch')}</p>}
      <ol class="lines" reversed>{found.map((chapter) => <Item key={chapter.seq} chapter={chapter} />)}</ol>
      {story.chapters.length >= most && <p class="soft">{text('story.most', { count: number(most) })}</p>}
      {more(story) && stage === 'there' && <FleetingButton onClick={() => { void read(story) }}>{text('lines.earlier')}</FleetingButton>}
    </section>
  )
}

function Item({ chapter }: { chapter: Chapter }): VNode {
  return (
    <li class={chapter.is === 'line' ? chapter.role : 'journey'} data-seq={chapter.seq}>
      <span class="soft">{text(chapter.is === 'line' ? `lines.${chapter.role}` : 'story.journey')} · <time dateTime={new Date(chapter.at).toISOString()}>{wholeTime(chapter.at)}</time></span>
      {chapter.is === 'line' ? <Markdown text={chapter.text} /> : <ol class="steps">{chapter.steps.map(({ type, toolName, content }, place) => (
        <li key={place}>{type === 'structure' ? <code>{toolName}</code> : <bdi>{content}</bdi>}</li>
      ))}</ol>}
    </li>
  )
}
