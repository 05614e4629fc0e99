import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { limits } from '@playctl/sdk'
import { nameOf } from '../app/names.js'
import { Sentence } from '../app/Sentence.js'
import { useSheet } from '../app/sheet.js'
import { keep, keptAs } from '../app/kept.js'
import { text } from '../text/text.js'
import type { WorldStore } from '../world/store.js'
import { listenToKeys } from './keys.js'
import { Stick } from './Stick.js'
import type { Walker } from './walker.js'
import '../styles/person.css'

export { Walker } from './walker.js'

/** The storage key of the name, for the next visit. */
const kept = 'playctl:name'

/** The form for the name of a person who enters the town. */
export function Entrance({ store, walker }: { store: WorldStore, walker: Walker }): VNode {
  const box = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [name, write] = useState(() => keptAs(kept) ?? '')
  const stage = walker.stage.value
  const fault = walker.fault.value
  const close = (): void => { store.sheet.value = undefined }
  useSheet(box, '.walkin', close)
  useEffect(() => { field.current?.focus() }, [])
  const may = name.trim() !== '' && stage !== 'entering' && store.link.value.state === 'live' && store.time.value === undefined
  const enter = (event: Event): void => {
    event.preventDefault()
    if (!may) return
    keep(kept, name.trim())
    void walker.enter(name.trim())
  }
  return (
    <div class="wishes" id="walkin" role="group" aria-label={text('person.title')} tabIndex={-1} ref={box}>
      <h2>{text('person.title')}</h2>
      <p class="soft">{text('person.why')}</p>
      <form onSubmit={enter}>
        <input dir="auto" ref={field} maxLength={limits.maxNameChars} aria-label={text('person.name')} placeholder={text('person.name')} value={name} autocomplete="nickname"
          onInput={(event) => { write(event.currentTarget.value) }} />
        <button type="submit" class="small" aria-disabled={!may}>{text(stage === 'entering' ? 'person.entering' : 'person.enter')}</button>
      </form>
      {store.time.value !== undefined && <p class="soft">{text('person.past')}</p>}
      {fault !== undefined && <p class="wrong" role="alert">{fault.message}{fault.detail !== '' && <> <span class="soft" dir="auto">{fault.detail}</span></>}</p>}
    </div>
  )
}

/** The controls of the reader's figure: walk, meet others, leave; and the reason when it is no longer on the map. */
export function Figure({ store, walker }: { store: WorldStore, walker: Walker }): VNode | null {
  const stage = walker.stage.value
  const { canvas } = walker.town ?? {}
  useEffect(() => {
    if (canvas === undefined) return undefined
    const ends = new AbortController()
    listenToKeys(canvas, walker, ends.signal)
    return () => { ends.abort() }
  }, [canvas, walker])
  if (stage === 'in') return <Bar store={store} walker={walker} />
  return stage === 'gone' ? <Gone store={store} walker={walker} /> : null
}

function Bar({ store, walker }: { store: WorldStore, walker: Walker }): VNode {
  const past = store.time.value !== undefined
  const near = past ? undefined : walker.near.value
  const note = walker.note.value
  const agent = near?.kind === 'agent'
  const keys = walker.keys.value
  return (
    <section class="person" aria-label={text('person.bar')}>
      {!past && <Stick walker={walker} />}
      <div class="actions">
        <p class={`who${note?.wrong === true ? ' wrong' : ''}`} role={note === undefined ? undefined : 'status'}>
          {note !== undefined ? note.text : past ? text('person.past') : near === undefined ? text('person.nobody') : <Sentence of={'person.beside'} values={{ who: <b>{nameOf(near)}</b> }} />}
        </p>
        <div class="acts">
          <Action letter="T" words={text('person.talk')} why={text('person.talkWhy')} off={!agent} act={() => { walker.talk() }} />
          <Action letter="V" words={text('person.wave')} why={text('person.waveWhy')} off={near === undefined} act={() => { void walker.act('chat') }} />
          <Action letter="Z" words={text('person.zone')} why={text('person.zoneWhy')} off={!agent} act={() => { void walker.act('zone') }} />
          <Action letter="Y" words={text('person.yield')} why={text('person.yieldWhy')} off={!agent} act={() => { void walker.act('yield') }} />
        </div>
        <div class="self">
          <button type="button" class="small keyed" aria-pressed={keys} aria-keyshortcuts="M" title={text('person.keysWhy')} onClick={() => { walker.turnKeys() }}>{text('person.keys')}</button>
          <Help />
          <button type="button" class="small" onClick={() => { void walker.leave(); canvasOf(walker)?.focus({ preventScroll: true }) }}>{text('person.leave')}</button>
        </div>
      </div>
    </section>
  )
}

interface ActionProps {
  /** The key for the same action while the map has the focus. */
  readonly letter: string
  readonly words: string
  readonly why: string
  readonly off: boolean
  readonly act: () => void
}

/** An action on the nearest occupant. If nobody is near it keeps its place, and the focus. */
function Action({ letter, words, why, off, act }: ActionProps): VNode {
  return (
    <button type="button" class="small" aria-disabled={off} aria-keyshortcuts={letter} title={why} onClick={() => { if (!off) act() }}>
      {words}<kbd aria-hidden="true">{letter}</kbd>
    </button>
  )
}

/** The keys of the map while walking. */
function Help(): VNode {
  const lines = (['walk', 'look', 'near', 'map'] as const).map((name) => text(`person.help.${name}`))
  return (
    <details class="keyed help">
      <summary class="small">{text('person.help')}</summary>
      <ul>{lines.map((line) => <li key={line}>{line}</li>)}</ul>
    </details>
  )
}

function Gone({ store, walker }: { store: WorldStore, walker: Walker }): VNode {
  const why = walker.why.value
  const offline = store.link.value.state !== 'live'
  return (
    <section class="person gone" aria-label={text('person.bar')}>
      <div class="actions">
        <p class="who" role="alert">{text(`person.gone.${why}`)}{why === 'refused' && walker.fault.value !== undefined && <> {walker.fault.value.message}</>}</p>
        <div class="self">
          <button type="button" class="small" aria-disabled={offline} onClick={() => { if (!offline) void walker.enter(walker.name.peek()) }}>{text('person.back')}</button>
          <button type="button" class="small" onClick={() => { walker.forget(); canvasOf(walker)?.focus({ preventScroll: true }) }}>{text('page.close')}</button>
        </div>
      </div>
    </section>
  )
}

const canvasOf = (walker: Walker): HTMLElement | undefined => walker.town?.canvas
