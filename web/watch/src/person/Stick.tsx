import type { VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { text } from '../text/text.js'
import type { Point } from '../town/geometry.js'
import type { Walker } from './walker.js'

/** A finger this near to the middle, as a share of the pad, means no direction. */
const NOWHERE = 0.22
const nowhere: Point = { x: 0, y: 0 }

const arrows = [['up', 0, -1, '▲'], ['left', -1, 0, '◀'], ['right', 1, 0, '▶'], ['down', 0, 1, '▼']] as const

/** Returns the direction of a finger on the pad, by its place from -1 to 1. */
export function leaning({ x, y }: Point): Point {
  const length = Math.hypot(x, y)
  if (length < NOWHERE) return nowhere
  return length > 1 ? { x: x / length, y: y / length } : { x, y }
}

/** A pad for a finger, which walks where it is pushed; its four arrows are buttons, each of which is one step. */
export function Stick({ walker }: { walker: Walker }): VNode {
  const pad = useRef<HTMLDivElement>(null)
  const finger = useRef<number | undefined>(undefined)
  const [knob, lean] = useState(nowhere)
  const go = (to: Point): void => {
    lean(to)
    walker.head(to)
  }
  const push = (event: PointerEvent): void => {
    if (event.pointerId !== finger.current || pad.current === null) return
    const { left, top, width, height } = pad.current.getBoundingClientRect()
    go(leaning({ x: (event.clientX - left - width / 2) / (width / 2), y: (event.clientY - top - height / 2) / (height / 2) }))
  }
  const take = (event: PointerEvent): void => {
    if (finger.current !== undefined || event.button !== 0) return
    finger.current = event.pointerId
    pad.current?.setPointerCapture(event.pointerId)
    push(event)
  }
  const lift = (event: PointerEvent): void => {
    if (event.pointerId !== finger.current) return
    finger.current = undefined
    go(nowhere)
  }
  // Prevents a gesture of the browser, after which it would take the next tap for the end of that gesture.
  // Pointer clicks are handled as pushes of the pad: this one is from a key or a screen reader.
  const step = (event: MouseEvent, to: Point): void => {
    if (event.detail !== 0) return
    walker.head(to)
    walker.head(nowhere)
  }
  return (
    <div class="stick" role="group" aria-label={text('person.stick')} ref={pad}
      onTouchStart={(event) => { event.preventDefault() }} onPointerDown={take} onPointerMove={push} onPointerUp={lift} onPointerCancel={lift} onLostPointerCapture={lift}>
      {arrows.map(([name, x, y, sign]) => (
        <button key={name} type="button" class={name} aria-label={text(`person.stick.${name}`)} onClick={(event) => { step(event, { x, y }) }}><span aria-hidden="true">{sign}</span></button>
      ))}
      <span class="knob" aria-hidden="true" style={{ transform: `translate(${String(Math.round(knob.x * 34))}px, ${String(Math.round(knob.y * 34))}px)` }} />
    </div>
  )
}
