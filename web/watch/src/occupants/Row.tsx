import { Component, type VNode } from 'preact'
import { useId } from 'preact/hooks'
import { Badge } from '../app/Badge.js'
import { Age, Doing } from '../app/Doing.js'
import { nameOf } from '../app/names.js'
import { PlatformMark } from '../app/PlatformMark.js'
import { text } from '../text/text.js'
import type { Thing } from '../world/things.js'
import { activityOf } from './order.js'

/** The greatest visible depth of a row below its ancestors. */
const deepest = 4

interface RowProps {
  readonly thing: Thing
  readonly chosen: boolean
  readonly fresh?: boolean
  readonly own?: boolean
  /** The agent above it in the list, which started it. */
  readonly parent?: Thing | undefined
  /** The number of its ancestors. */
  readonly depth?: number
  /** The shown moment of the past, in milliseconds since 1970; undefined shows the present. */
  readonly then?: number | undefined
  readonly show: (key: string) => void
}

/** One thing in a list, which can be selected; a fresh one just arrived, an own one is the reader's figure. It is rendered again only when it changes. */
export class Row extends Component<RowProps> {
  override shouldComponentUpdate({ thing, chosen, fresh, own, parent, depth, then, show }: RowProps): boolean {
    const { props } = this
    return thing !== props.thing || chosen !== props.chosen || fresh !== props.fresh || own !== props.own || parent?.name !== props.parent?.name
      || depth !== props.depth || then !== props.then || show !== props.show
  }

  override render(props: RowProps): VNode {
    return <Item {...props} />
  }
}

function Item({ thing, chosen, fresh, own, parent, depth = 0, then, show }: RowProps): VNode {
  const activity = activityOf(thing)
  const kind = thing.kind === 'agent' && thing.platform !== '' ? thing.platform : text(`residents.kind.${thing.kind}`)
  const about = useId()
  return (
    <li class={`item${depth > 0 ? ' child' : ''}${activity === undefined ? '' : ' aged'}`} {...(depth > 0 ? { 'aria-level': depth + 1, 'style': { '--depth': Math.min(depth, deepest) } } : {})}>
      <button type="button" class="row" data-key={thing.key} aria-pressed={chosen} aria-describedby={about} onClick={() => { show(thing.key) }}>
        <Badge thing={thing} />
        <span class="words"><bdi class="name">{nameOf(thing)}</bdi></span>
      </button>
      {/* Beside the button, so that its accessible name is its visible text: this paragraph covers it, but lets every press through. */}
      <p class="about" id={about}>
        {activity === undefined
          ? <span class="soft">{thing.kind === 'agent' && <PlatformMark platform={thing.platform} />}<bdi>{kind}</bdi>{'x' in thing && <> · {text('residents.at', { x: thing.x, y: thing.y })}</>}</span>
          : <><span class="soft"><Doing activity={activity} /></span><Age since={activity.since} then={then} /></>}
        {parent !== undefined && <span class="unseen">{text('residents.childOf', { who: nameOf(parent) })}</span>}
        {own === true ? <span class="fresh own">{text('map.you')}</span> : fresh === true && activity === undefined && <span class="fresh">{text('residents.new')}</span>}
        {thing.kind === 'agent' && thing.flagged && <span class="mark">{text('residents.flagged')}</span>}
      </p>
    </li>
  )
}
