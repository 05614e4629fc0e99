import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { FleetingButton } from '../app/FleetingButton.js'
import { nameOf } from '../app/names.js'
import { Markdown } from '../markdown/Markdown.js'
import { locale, number, text } from '../text/text.js'
import { wholeTime } from '../text/times.js'
import type { AgentThing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'
import { jsonOf, markdownOf, more, most, search, type Chapter } from './story.js'
import { useStory } from './reading.js'

export { Timeline } from '../journey/Timeline.js'

/** The number of chapters shown at first, and added at each request for earlier ones. */
const shownAtOnce = 500

/** All questions to an agent, and its lines and actions, as far as the host stores them. */
export function StoryOf({ store, agent }: { store: WorldStore, agent: AgentThing }): VNode {
  const { story, stage, read, whole } = useStory(store, agent)
  const [wanted, want] = useState('')
  const [shown, show] = useState(shownAtOnce)
  const found = useMemo(() => search(story.chapters, wanted, locale()), [story, wanted])
  const save = async (form: 'json' | 'md'): Promise<void> => {
    const saved = await whole()
    if (saved === undefined) return
    const name = nameOf(agent)
    const words = form === 'json' ? jsonOf(name, agent.id, saved.chapters) : markdownOf(name, saved.chapters)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([words], { type: form === 'json' ? 'application/json' : 'text/markdown' }))
    link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60)}.${form}`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  const earlier = (): void => {
    show(shown + shownAtOnce)
    if (found.length < shown + shownAtOnce && more(story)) void read()
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
      {stage === 'failed' && <p class="wrong">{text('lines.failed')} <FleetingButton onClick={() => { void read() }}>{text('refused.again')}</FleetingButton></p>}
      {stage === 'there' && found.length === 0 && <p class="soft">{text(wanted === '' ? 'lines.none' : 'story.noneMatch')}</p>}
      <ol class="lines" reversed>{found.slice(0, shown).map((chapter) => <Item key={chapter.seq} chapter={chapter} />)}</ol>
      {story.chapters.length >= most && found.length <= shown && <p class="soft">{text('story.most', { count: number(most) })}</p>}
      {(found.length > shown || more(story)) && stage === 'there' && <FleetingButton onClick={earlier}>{text('lines.earlier')}</FleetingButton>}
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
