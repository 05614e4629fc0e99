import { Component, type VNode } from 'preact'
import { useId } from 'preact/hooks'
import { Badge } from '../app/Badge.js'
import { nameOf } from '../app/names.js'
import { PlatformMark } from '../app/PlatformMark.js'
import { text } from '../text/text.js'
import type { Thing } from '../world/things.js'

interface RowProps {
  readonly thing: Thing
  readonly chosen: boolean
  readonly fresh?: boolean
  readonly own?: boolean
  readonly show: (key: string) => void
}

/** One thing in a list, which can be selected; a fresh one just arrived, an own one is the reader's figure. It is rendered again only when it changes. */
export class Row extends Component<RowProps> {
  override shouldComponentUpdate({ thing, chosen, fresh, own, show }: RowProps): boolean {
    const { props } = this
    return thing !== props.thing || chosen !== props.chosen || fresh !== props.fresh || own !== props.own || show !== props.show
  }

  override render({ thing, chosen, fresh = false, own = false, show }: RowProps): VNode {
    return <Item thing={thing} chosen={chosen} fresh={fresh} own={own} show={show} />
  }
}

function Item({ thing, chosen, fresh, own, show }: Required<RowProps>): VNode {
  const kind = thing.kind === 'agent' && thing.platform !== '' ? thing.platform : text(`residents.kind.${thing.kind}`)
  const about = useId()
  return (
    <li class="item">
      <button type="button" class="row" data-key={thing.key} aria-pressed={chosen} aria-describedby={about} onClick={() => { show(thing.key) }}>
        <Badge thing={thing} />
        <span class="words"><bdi class="name">{nameOf(thing)}</bdi></span>
      </button>
      {/* Beside the button, so that its accessible name is its visible text: this paragraph covers it, but lets every press through. */}
      <p class="about" id={about}>
        <span class="soft">{thing.kind === 'agent' && <PlatformMark platform={thing.platform} />}<bdi>{kind}</bdi>{'x' in thing && <> · {text('residents.at', { x: thing.x, y: thing.y })}</>}</span>
        {own ? <span class="fresh own">{text('map.you')}</span> : fresh && <span class="fresh">{text('residents.new')}</span>}
        {thing.kind === 'agent' && thing.flagged && <span class="mark">{text('residents.flagged')}</span>}
      </p>
    </li>
  )
}
