import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { text } from '../text/text.js'

/** A finger that moves less than this, in pixels, taps. */
const SLACK = 8
/** The least height of a sheet, as a share of the window, and the height below which it closes when released. */
const LEAST = 20
const CLOSES = 13
/** The change of the height by a key press. */
const STEP = 6
/** A taller sheet leaves no room for the buttons above it. */
const TALL = 60
/** The parts of a sheet that can be dragged. */
const heads = '.grip, .register > .tabs, .panel > header'

interface GripProps {
  /** The CSS property with the height. */
  readonly of: '--dragged' | '--dragged-panel'
  /** Called when the sheet is pulled down. */
  readonly close: () => void
}

/** The handle of a sheet at the bottom of a narrow window: it resizes the sheet, and closes it when pulled down. */
export function Grip({ of, close }: GripProps): VNode {
  const grip = useRef<HTMLDivElement>(null)
  const [shown, show] = useState(0)
  const set = (share: number, least = LEAST): void => {
    const page = grip.current?.closest<HTMLElement>('.page')
    const height = Math.min(Math.max(share, least), mostOf(page))
    page?.style.setProperty(of, `${height.toFixed(1)}dvh`)
    if (of === '--dragged') page?.toggleAttribute('data-tall', height > TALL)
    show(Math.round(height))
  }
  const settle = (): void => {
    const share = shareOf(grip.current)
    if (share >= CLOSES) { set(share); return }
    grip.current?.closest<HTMLElement>('.page')?.style.removeProperty(of)
    close()
  }
  useEffect(() => {
    show(Math.round(shareOf(grip.current)))
    return grip.current === null ? undefined : dragged(grip.current, (share) => { set(share, 0) }, settle)
  }, [of, close])
  const press = (event: KeyboardEvent): void => {
    const up = { ArrowUp: STEP, ArrowDown: -STEP, Home: -100, End: 100 }[event.key]
    if (up === undefined) return
    event.preventDefault()
    set(shareOf(grip.current) + up)
  }
  return (
    <div class="grip" ref={grip} role="separator" aria-orientation="horizontal" aria-label={text('page.grip')} tabIndex={0}
      aria-valuemin={LEAST} aria-valuemax={100} aria-valuenow={shown} onKeyDown={press} />
  )
}

/** Returns the height of a handle's sheet, in hundredths of the window. */
function shareOf(grip: Element | null): number {
  return (grip?.parentElement?.offsetHeight ?? 0) / innerHeight * 100
}

/** Returns the greatest height of a sheet: the buttons above it remain visible. */
function mostOf(page: HTMLElement | null | undefined): number {
  const { bottom = 0 } = page?.querySelector('.top')?.getBoundingClientRect() ?? {}
  return (innerHeight - bottom - 12) / innerHeight * 100
}

/** Makes the head of a handle's sheet draggable; returns a function that ends that. */
function dragged(grip: HTMLElement, move: (share: number) => void, settle: () => void): () => void {
  const sheet = grip.parentElement
  const ends = new AbortController()
  const { signal } = ends
  let from: { readonly id: number, readonly y: number, readonly share: number } | undefined
  let moving = false
  sheet?.addEventListener('pointerdown', (event) => {
    const { target } = event
    if (from !== undefined || event.button !== 0 || grip.offsetParent === null || !(target instanceof Element) || target.closest(heads) === null) return
    from = { id: event.pointerId, y: event.clientY, share: shareOf(grip) }
    moving = false
  }, { signal })
  // Prevents a gesture of the browser, after which it would take the next tap for the end of that gesture.
  sheet?.addEventListener('touchmove', (event) => { if (from !== undefined && event.cancelable) event.preventDefault() }, { signal, passive: false })
  addEventListener('pointermove', (event) => {
    if (event.pointerId !== from?.id || (!moving && Math.abs(event.clientY - from.y) < SLACK)) return
    if (!moving) sheet?.setPointerCapture(event.pointerId)
    moving = true
    move(from.share + (from.y - event.clientY) / innerHeight * 100)
  }, { signal })
  const lift = (event: PointerEvent): void => {
    if (event.pointerId !== from?.id) return
    from = undefined
    if (!moving) return
    // A drag is not a click.
    const stop = (click: Event): void => { click.stopPropagation() }
    addEventListener('click', stop, { capture: true, once: true, signal })
    setTimeout(() => { removeEventListener('click', stop, { capture: true }) })
    settle()
  }
  addEventListener('pointerup', lift, { signal })
  addEventListener('pointercancel', lift, { signal })
  return () => { ends.abort() }
}
