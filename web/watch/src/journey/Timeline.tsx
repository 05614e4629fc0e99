import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { clamp } from '../feed/entry.js'
import { text } from '../text/text.js'
import { took, wholeTime } from '../text/times.js'
import type { Town } from '../town/town.js'
import { failed, journeyOf, tookOf, type JourneyRecord, type JourneyStep } from '../world/journeys.js'
import type { AgentThing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'

interface TimelineProps {
  readonly store: WorldStore
  readonly agent: AgentThing
  readonly town: Town | undefined
}

/** An agent's last journey, step by step, which can be followed on the map. */
export function Timeline({ store, agent, town }: TimelineProps): VNode {
  const journey = journeyOf(agent.lastUpdate)
  const at = store.step.value
  // A button without effect stays enabled: a disabled one would lose the focus.
  const first = at === undefined || at === 0
  const last = at !== undefined && at >= (journey?.steps.length ?? 0) - 1
  const name = journey === undefined ? '' : `${journey.startedAt} ${journey.steps.length}`
  // A new journey replaces the followed one.
  useEffect(() => { store.walking = false; store.step.value = undefined }, [store, name])
  const go = (step: number, hold: boolean): void => { store.walking = !hold; store.step.value = step; town?.playJourney(agent.key, step, hold) }
  const stop = (): void => { store.walking = false; store.step.value = undefined; town?.stopJourney(agent.key) }
  return (
    <section aria-label={text('journey.title')}>
      <h3>{text('journey.title')}</h3>
      {journey === undefined ? <p class="soft">{text('journey.none')}</p> : <>
        <p class="soft">{text('journey.steps', { count: journey.steps.length })}<When journey={journey} /></p>
        <div class="controls">
          <button type="button" class="small" aria-label={text('journey.previous')} aria-disabled={first} onClick={() => { if (!first) go(at - 1, true) }}>‹</button>
          <button type="button" class="small" onClick={() => { if (at === undefined) go(0, false); else stop() }}>{text(at === undefined ? 'journey.walk' : 'journey.pause')}</button>
          <button type="button" class="small" aria-label={text('journey.next')} aria-disabled={last} onClick={() => { if (!last) go(at === undefined ? 0 : at + 1, true) }}>›</button>
        </div>
        <ol class="timeline">{journey.steps.map((step, place) => (
          <li key={place} class={step.type} {...(place === at ? { 'aria-current': 'step' as const } : {})}>
            <button type="button" class="link" onClick={() => { go(place, true) }}>{stepName(step)}</button><Lasted step={step} />
            <StepWords step={step} />
          </li>
        ))}</ol>
      </>}
    </section>
  )
}

function When({ journey }: { journey: JourneyRecord }): VNode | null {
  const lasted = tookOf(journey)
  return lasted === undefined ? null : <> · {text('journey.took', { when: wholeTime(Date.parse(journey.startedAt)), took: took(lasted) })}</>
}

function stepName(step: JourneyStep): string {
  return step.type === 'structure' ? text('journey.structure', { tool: clamp(step.toolName, 60) }) : text(`journey.${step.type}`)
}

function Lasted({ step }: { step: JourneyStep }): VNode | null {
  const lasted = tookOf(step)
  return lasted === undefined ? null : <span class="soft"> · {took(lasted)}</span>
}

function StepWords({ step }: { step: JourneyStep }): VNode {
  return (
    <>
      {step.content !== '' && <p dir="auto">{clamp(step.content, 1000)}</p>}
      {step.args !== undefined && <p class="soft">{text('journey.args')} <code>{clamp(JSON.stringify(step.args), 400)}</code></p>}
      {step.error !== '' && <p class="wrong">{text('journey.error')} <span dir="auto">{clamp(step.error, 500)}</span></p>}
      {step.result !== undefined && <p class={failed(step.result) ? 'wrong' : 'soft'}>{text(failed(step.result) ? 'journey.error' : 'journey.result')} <code>{clamp(typeof step.result === 'string' ? step.result : JSON.stringify(step.result), 400)}</code></p>}
    </>
  )
}
