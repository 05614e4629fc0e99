import type { VNode } from 'preact'
import { Age, Doing } from '../app/Doing.js'
import { plainWords } from '../markdown/plain.js'
import { activityOf } from '../occupants/order.js'
import { text } from '../text/text.js'
import { ago, clockTime } from '../text/times.js'
import { Sentence } from '../app/Sentence.js'
import type { AgentThing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'

/** What an agent is doing, or did last: at the shown moment, if that is known. */
export function Now({ store, agent }: { store: WorldStore, agent: AgentThing }): VNode | null {
  const version = store.feedVersion.value
  const then = store.time.value
  const step = store.step.value
  // The feed is of the host's world, and has its newest events.
  const last = store.recording.value === undefined ? store.feed.lastOf(agent.key, then?.seq) : undefined
  if (store.walking && step !== undefined) return <p class="nowline walking">{text('now.walking', { step: step + 1, count: agent.lastUpdate?.path.length ?? step + 1 })}</p>
  const activity = activityOf(agent)
  if (activity !== undefined) return <p class="nowline"><Doing activity={activity} /> <Age since={activity.since} then={then?.at} /></p>
  if (last === undefined && then !== undefined) return null
  if (last === undefined) return <p class="nowline soft" data-version={version}>{text('now.nothing')}</p>
  return (
    <p class="nowline" data-version={version}><Sentence of={last.sentence} values={{ ...last.values, who: <bdi>{last.name}</bdi> }} />{last.text !== '' && <>: <bdi>{plainWords(last.text)}</bdi></>}
      {' '}<time class="soft" dateTime={new Date(last.at).toISOString()}>{then === undefined ? ago(last.at, Math.max(Date.now(), last.at)) : clockTime(last.at)}</time></p>
  )
}
