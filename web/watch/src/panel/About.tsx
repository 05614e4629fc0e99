import type { ComponentChildren, VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { shortId } from '../feed/describe.js'
import { clamp } from '../feed/entry.js'
import { FleetingButton } from '../app/FleetingButton.js'
import { nameOf } from '../app/names.js'
import { useNow } from '../app/now.js'
import { PlatformMark } from '../app/PlatformMark.js'
import { list, text } from '../text/text.js'
import { ago } from '../text/times.js'
import { activityOf, sumOf } from '../occupants/order.js'
import { usedWords } from '../occupants/Totals.js'
import { parentsOf } from '../town/kin.js'
import { clean } from '../town/prose.js'
import { journeyOf } from '../world/journeys.js'
import type { AgentThing, McpThing, Thing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'

/** The number of other things listed at first, and the greatest number. */
const few = 8
const most = 500

interface AboutProps {
  readonly store: WorldStore
  readonly thing: Thing
  readonly show: (key: string) => void
}

/** The facts about a thing. */
export function About({ store, thing, show }: AboutProps): VNode {
  return (
    <dl class="facts">
      {'x' in thing && <Fact name={text('panel.position')}><bdi dir="ltr">{text('panel.positionOf', { x: thing.x, y: thing.y })}</bdi></Fact>}
      {thing.kind === 'agent' && <AgentFacts store={store} thing={thing} show={show} />}
      {thing.kind === 'mcp' && <>
        <Fact name={text('panel.url')}><Address url={thing.url ?? ''} /></Fact>
        <Fact name={text('panel.owner')}><Id id={thing.nodeId} /></Fact>
        <Neighbors store={store} thing={thing} show={show} />
      </>}
      {thing.kind === 'structure' && <Things store={store} name={text('panel.spaces')} keys={thing.spaceIds.map((id) => `space:${id}`)} show={show} />}
      {thing.kind === 'space' && <>
        {thing.description !== '' && <Fact name={text('panel.description')}><bdi>{clamp(thing.description, 2000)}</bdi></Fact>}
        <Fact name={text('panel.design')}><bdi>{clamp(thing.designKey, 80)}</bdi></Fact>
        <Fact name={text('panel.owner')}><bdi>{clamp(thing.owner.displayName, 80)}</bdi></Fact>
        <Things store={store} name={text('panel.structure')} show={show}
          keys={store.directory.value.occupants.filter((row) => row.kind === 'structure' && row.spaceIds.includes(thing.id)).map((row) => row.key)} />
      </>}
      {'amenities' in thing && thing.amenities.length > 0 && <Fact name={text('panel.amenities')}>{list(thing.amenities.map(amenity))}</Fact>}
      {'id' in thing && <Fact name={text(thing.kind === 'agent' ? 'panel.agent' : 'panel.id')}><Id id={thing.id} /></Fact>}
    </dl>
  )
}

function AgentFacts({ store, thing, show }: { store: WorldStore, thing: AgentThing, show: (key: string) => void }): VNode {
  const traveled = Date.parse(journeyOf(thing.lastUpdate)?.completedAt ?? '')
  const active = store.lastActive.value.get(thing.key) ?? (Number.isNaN(traveled) ? undefined : traveled)
  const now = useNow(10_000)
  const used = usageOf(thing)
  const { occupants } = store.directory.value
  const parents = useMemo(() => parentsOf(occupants), [occupants])
  return (
    <>
      <Fact name={text('panel.platform')}><PlatformMark platform={thing.platform} /><bdi>{clamp(thing.platform, 64)}</bdi></Fact>
      {store.time.value === undefined && <Fact name={text('panel.lastSeen')}>{active === undefined ? text('panel.never') : ago(active, Math.max(now, active))}</Fact>}
      {used !== '' && <Fact name={text('panel.usage')}>{used}</Fact>}
      {thing.group !== undefined && <Fact name={text('panel.group')}><bdi>{clamp(clean(thing.group, 64), 64)}</bdi></Fact>}
      <Things store={store} name={text('panel.parent')} keys={keysOf([...parents].filter(([row]) => row.key === thing.key).map(([, parent]) => parent))} show={show} />
      <Things store={store} name={text('panel.children')} keys={keysOf([...parents].filter(([, parent]) => parent.key === thing.key).map(([row]) => row))} show={show} />
      <Fact name={text('panel.tools')}>{thing.toolNames.length === 0 ? text('panel.noTools') : <ul class="chips">
        {thing.toolNames.slice(0, 128).map((tool) => <li key={tool}><bdi>{clamp(tool, 60)}</bdi></li>)}
      </ul>}</Fact>
      {thing.zoneCount + thing.yieldCount > 0 && <Fact name={text('panel.zones')}>
        {text('panel.zonesOf', { zones: thing.zoneCount, yields: thing.yieldCount })}{thing.flagged && <> · {text('panel.flagged')}</>}
      </Fact>}
      <Fact name={text('panel.p2a')}>{text(thing.enableP2a === 'on' ? 'panel.yes' : 'panel.no')}</Fact>
      {thing.realtimeInstructions && <Fact name={text('panel.instructions')}><bdi>{clamp(thing.realtimeInstructions, 600)}</bdi></Fact>}
      <Fact name={text('panel.node')}><Id id={thing.nodeId} /></Fact>
    </>
  )
}

const keysOf = (rows: readonly Thing[]): readonly string[] => rows.map(({ key }) => key)

/** Returns what an agent's run has used so far; empty if that is not known. */
function usageOf(thing: AgentThing): string {
  const { inputTokens, outputTokens, costUsd, toolCalls, errors } = activityOf(thing)?.usage ?? {}
  return list([
    ...usedWords({ tokens: sumOf([inputTokens, outputTokens]), costUsd }),
    ...(toolCalls === undefined ? [] : [text('usage.calls', { count: toolCalls })]),
    ...(errors === undefined ? [] : [text('usage.errors', { count: errors })]),
  ])
}

function Neighbors({ store, thing, show }: { store: WorldStore, thing: McpThing, show: (key: string) => void }): VNode {
  const keys = store.directory.value.of(thing.nodeId).map((row) => row.key).filter((key) => key !== thing.key)
  return <Things store={store} name={text('panel.neighbors')} keys={keys} show={show} />
}

function Things({ store, name, keys, show }: { store: WorldStore, name: string, keys: readonly string[], show: (key: string) => void }): VNode | null {
  const [all, showAll] = useState(false)
  const things = keys.flatMap((key) => store.directory.value.get(key) ?? [])
  const shown = things.slice(0, all ? most : few)
  return things.length === 0 ? null : (
    <Fact name={name}><ul class="chips">{shown.map((other) => (
      <li key={other.key}><button type="button" class="link" onClick={() => { show(other.key) }}>{nameOf(other)}</button></li>
    ))}{shown.length < things.length && <li>{all
      ? text('residents.of', { shown: shown.length, count: things.length })
      : <FleetingButton onClick={() => { showAll(true) }}>{text('panel.all', { count: things.length })}</FleetingButton>}</li>}</ul></Fact>
  )
}

function Fact({ name, children }: { name: string, children: ComponentChildren }): VNode {
  return <div><dt>{name}</dt><dd>{children}</dd></div>
}

function Id({ id }: { id: string }): VNode {
  return <code title={id}>{clamp(shortId(id), 40)}</code>
}

/** An address from another party: a link only if it leads to a web page. */
function Address({ url }: { url: string }): VNode {
  const shown = clamp(clean(url, 2000), 120)
  return /^https?:\/\//i.test(url)
    ? <a href={url} target="_blank" rel="noopener noreferrer nofollow"><bdi>{shown}</bdi></a>
    : <bdi>{shown}</bdi>
}

function amenity(kind: string): string {
  return kind === 'shop' || kind === 'supermarket' || kind === 'car_wash' ? text(`amenity.${kind}`) : clamp(kind, 40)
}
