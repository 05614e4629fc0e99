import { ARROWS } from './arrows.js'
import type { Point } from './geometry.js'

/** The actions of a person on the map. Points are CSS pixels from its corner. */
export interface Wishes {
  readonly pan: (dx: number, dy: number) => void
  readonly zoom: (factor: number, about: Point | null) => void
  /** @param slack The tolerance around the point, of a finger or the mouse, in CSS pixels. */
  readonly pick: (at: Point, slack: number) => void
  readonly hover: (at: Point | null) => void
  readonly fit: () => void
  readonly move: (dx: number, dy: number) => void
  readonly choose: (chosen: boolean) => void
}

/** A pointer that moved less than this, in CSS pixels, has clicked. */
const SLACK = 5
/** Half the width of a finger, in CSS pixels. */
const FINGER = 22
/** How far the map moves for an arrow key with Shift, in CSS pixels. */
const STRIDE = 80

/** Listens to pointer, wheel and keyboard events of a canvas until the signal aborts. */
export function listen(canvas: HTMLCanvasElement, wishes: Wishes, signal: AbortSignal): void {
  listenToPointers(canvas, wishes, signal)
  const at = (event: MouseEvent): Point => ({ x: event.offsetX, y: event.offsetY })
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault()
    const unit = event.deltaMode === 1 ? 18 : 1
    wishes.zoom(Math.exp(-Math.max(-120, Math.min(120, event.deltaY * unit)) * (event.ctrlKey ? 0.01 : 0.0022)), at(event))
  }, { signal, passive: false })
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const arrow = ARROWS[event.key]
    if (arrow !== undefined && event.shiftKey) wishes.pan(-arrow[0] * STRIDE, -arrow[1] * STRIDE)
    else if (arrow !== undefined) wishes.move(arrow[0], arrow[1])
    else if (event.key === '+' || event.key === '=') wishes.zoom(1.25, null)
    else if (event.key === '-') wishes.zoom(0.8, null)
    else if (event.key === '0') wishes.fit()
    else if (event.key === 'Enter' || event.key === ' ') wishes.choose(true)
    else if (event.key === 'Escape') wishes.choose(false)
    else return
    event.preventDefault()
  }, { signal })
}

function listenToPointers(canvas: HTMLCanvasElement, wishes: Wishes, signal: AbortSignal): void {
  const down = new Map<number, Point>()
  let begin: Point | null = null
  const spreadOf = (): { middle: Point; span: number } => {
    const [a, b] = [...down.values()] as [Point, Point]
    return { middle: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, span: Math.max(Math.hypot(a.x - b.x, a.y - b.y), 1) }
  }
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId)
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY })
    begin = down.size === 1 ? { x: event.offsetX, y: event.offsetY } : null
  }, { signal })
  canvas.addEventListener('pointermove', (event) => {
    const to = { x: event.offsetX, y: event.offsetY }
    const from = down.get(event.pointerId)
    if (from === undefined) { wishes.hover(to); return }
    if (begin !== null && Math.hypot(to.x - begin.x, to.y - begin.y) < SLACK) return
    begin = null
    if (down.size === 2) {
      const before = spreadOf()
      down.set(event.pointerId, to)
      const after = spreadOf()
      wishes.pan(after.middle.x - before.middle.x, after.middle.y - before.middle.y)
      wishes.zoom(after.span / before.span, after.middle)
    } else {
      down.set(event.pointerId, to)
      wishes.pan(to.x - from.x, to.y - from.y)
    }
  }, { signal })
  const up = (event: PointerEvent): void => {
    if (down.delete(event.pointerId) && begin !== null && event.type === 'pointerup') wishes.pick(begin, event.pointerType === 'touch' ? FINGER : 0)
    begin = null
  }
  canvas.addEventListener('pointerup', up, { signal })
  canvas.addEventListener('pointercancel', up, { signal })
  canvas.addEventListener('pointerleave', () => { wishes.hover(null) }, { signal })
}
