import type { Point } from '../town/geometry.js'
import type { Walker } from './walker.js'

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 },
}
const LETTERS: Readonly<Record<string, Point>> = { a: { x: -1, y: 0 }, d: { x: 1, y: 0 }, w: { x: 0, y: -1 }, s: { x: 0, y: 1 } }

/** Returns the letter of a key: the one on it, or the one at its position if the keyboard has no Latin letters. */
export function letterOf({ key, code }: { readonly key: string, readonly code: string }): string {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase()
  return key.length <= 2 || key === 'Process' ? /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? '' : ''
}

/** Returns the direction of keys that are pressed together; opposite ones cancel out. */
export function headingOf(held: Iterable<Point>): Point {
  const all = [...held]
  const sum = (of: 'x' | 'y'): number => Math.sign(all.reduce((total, to) => total + to[of], 0))
  return { x: sum('x'), y: sum('y') }
}

/**
 * Walks by the keys of the map, before the map handles them. If the arrow keys go through the residents,
 * the letters still walk.
 */
export function listenToKeys(canvas: HTMLElement, walker: Walker, signal: AbortSignal): void {
  const held = new Map<string, Point>()
  const go = (): void => { walker.head(headingOf(held.values())) }
  const release = (): void => {
    if (held.size === 0) return
    held.clear()
    go()
  }
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || walker.stage.peek() !== 'in') return
    const letter = letterOf(event)
    const arrow = event.shiftKey || !walker.keys.peek() ? undefined : ARROWS[event.key]
    const to = arrow ?? LETTERS[letter]
    if (to !== undefined) {
      held.set(event.code === '' ? event.key : event.code, to)
      if (!event.repeat) go()
    } else if (event.repeat || !acts(walker, letter, event.key)) {
      return
    }
    event.preventDefault()
    event.stopImmediatePropagation()
  }, { signal, capture: true })
  canvas.addEventListener('keyup', (event) => {
    if (held.delete(event.code === '' ? event.key : event.code)) go()
  }, { signal })
  canvas.addEventListener('blur', release, { signal })
  // While a system key is pressed, the browser does not report the release of another key.
  addEventListener('blur', release, { signal })
}

/** Performs a key's action other than walking; false if it has none. */
export function acts(walker: Walker, letter: string, key: string): boolean {
  const near = walker.near.peek()
  if (letter === 'm') walker.turnKeys()
  else if (near === undefined) return false
  else if (letter === 'v') void walker.act('chat')
  else if (near.kind !== 'agent') return false
  else if (letter === 't' || (key === 'Enter' && walker.keys.peek())) walker.talk()
  else if (letter === 'z') void walker.act('zone')
  else if (letter === 'y') void walker.act('yield')
  else return false
  return true
}
