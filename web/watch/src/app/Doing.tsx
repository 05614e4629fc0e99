import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { computed } from '@preact/signals'
import type { Activity } from '@playctl/sdk'
import { doingOf } from '../town/doing.js'
import { text } from '../text/text.js'
import { lasting } from '../text/times.js'
import { clock } from './clock.js'
import { StateSign } from './StateSign.js'

/** The sign and the name of an agent's state, and what it does, in one line. */
export function Doing({ activity }: { activity: Activity }): VNode {
  const doing = doingOf(activity)
  return <><StateSign state={activity.state} /><b class={`doing ${activity.state}`}>{text(`state.${activity.state}`)}</b>{doing !== '' && <> · <bdi>{doing}</bdi></>}</>
}

/** How long a state has lasted: until now, or until a moment of the past, in milliseconds since 1970. Only this text is renewed. */
export function Age({ since, then }: { since: string, then: number | undefined }): VNode | null {
  const start = Date.parse(since)
  const words = useMemo(() => computed(() => lasting((then ?? clock.value) - start)), [start, then])
  return Number.isNaN(start) ? null : <time class="age" dateTime={since}>{words}</time>
}
