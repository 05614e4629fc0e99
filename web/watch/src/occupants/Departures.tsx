import type { VNode } from 'preact'
import { called } from '../app/names.js'
import { text } from '../text/text.js'
import { clockTime } from '../text/times.js'
import type { Departed } from '../world/presence.js'

/** Recent departures, the latest first; nothing if there are none. */
export function Departures({ left }: { left: readonly Departed[] }): VNode | null {
  if (left.length === 0) {
    return null
  }
  return (
    <section class="departures" aria-label={text('presence.recentlyLeft')}>
      <h2>{text('presence.recentlyLeft')}</h2>
      <ul>{left.map(({ key, name, at }) => (
        <li key={key}>
          <bdi class="name">{called(name)}</bdi>
          <time dateTime={new Date(at).toISOString()}>{clockTime(at)}</time>
        </li>
      ))}</ul>
    </section>
  )
}
