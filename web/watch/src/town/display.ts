import type { Box } from './geometry.js'
import { overlap } from './geometry.js'

/** A part of a frame. */
export interface Item {
  /** The name, which stays the same in the next frame. */
  readonly name: string
  /** The box that it covers, in CSS pixels. */
  readonly box: Box
  /** The values that determine its appearance: it is drawn again if one of them changes. */
  readonly looks: readonly unknown[]
  readonly draw: (c: CanvasRenderingContext2D) => void
}

/** More boxes than this are merged into fewer, larger ones. */
const MOST_BOXES = 24
/** If this share of the window changed, all of it is drawn. */
const WHOLE = 0.7

/**
 * The content of the canvas. Only differences from the frame before are drawn: most of a town does
 * not move, and without a graphics card every drawn pixel costs time.
 */
export class Display {
  #before = new Map<string, Item>()
  #items: Item[] = []
  #whole = true
  /** The part of the window that the last frame drew, from 0 to 1. */
  drawn = 0

  /** Forgets the content of the canvas: the next frame is drawn completely. */
  reset(): void { this.#whole = true }

  /** Adds items to the frame, in front of earlier ones. */
  add(...items: readonly Item[]): void { this.#items.push(...items) }

  /**
   * Ends the frame: draws the changed parts on the canvas.
   * @param density Device pixels per CSS pixel; boxes are drawn in whole device pixels.
   * @param ground Draws the background.
   */
  paint(c: CanvasRenderingContext2D, window: Box, density: number, ground: (c: CanvasRenderingContext2D) => void): void {
    const items = this.#items
    const now = new Map(items.map((item) => [item.name, item]))
    const boxes = this.#whole ? [window] : merged(changed(this.#before, now), window, density)
    this.#before = now
    this.#items = []
    this.#whole = false
    this.drawn = 0
    for (const box of boxes) {
      this.drawn += (box.w * box.h) / (window.w * window.h)
      c.save()
      c.beginPath()
      c.rect(box.x, box.y, box.w, box.h)
      c.clip()
      ground(c)
      for (const item of items) if (overlap(item.box, box)) item.draw(c)
      c.restore()
    }
  }
}

/** Returns the boxes of the items that differ between two frames. */
function changed(before: ReadonlyMap<string, Item>, now: ReadonlyMap<string, Item>): Box[] {
  const boxes: Box[] = []
  for (const [name, item] of now) {
    const old = before.get(name)
    if (old === undefined) boxes.push(item.box)
    else if (!sameBox(old.box, item.box) || !same(old.looks, item.looks)) boxes.push(old.box, item.box)
  }
  for (const [name, { box }] of before) if (!now.has(name)) boxes.push(box)
  return boxes
}

function same(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]))
}

function sameBox(a: Box, b: Box): boolean {
  return a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h
}

/** Returns boxes in whole device pixels within the window, without overlaps. */
export function merged(boxes: readonly Box[], window: Box, density: number): Box[] {
  const out: Box[] = []
  for (const box of boxes) {
    let next = snapped(box, window, density)
    if (next.w <= 0 || next.h <= 0) continue
    for (let i = 0; i < out.length;) {
      const other = out[i]
      if (other === undefined || !(overlap(next, other) || out.length >= MOST_BOXES)) { i += 1; continue }
      next = around(next, other)
      out.splice(i, 1)
      // The merged box may overlap boxes that were checked before.
      i = 0
    }
    out.push(next)
  }
  return out.reduce((sum, { w, h }) => sum + w * h, 0) > WHOLE * window.w * window.h ? [window] : out
}

function around(a: Box, b: Box): Box {
  const x = Math.min(a.x, b.x)
  const y = Math.min(a.y, b.y)
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y }
}

/** Returns a box one pixel larger on each side: drawing between pixels affects the next pixel. */
function snapped({ x, y, w, h }: Box, window: Box, density: number): Box {
  const left = Math.max((Math.floor(x * density) - 1) / density, window.x)
  const top = Math.max((Math.floor(y * density) - 1) / density, window.y)
  const right = Math.min((Math.ceil((x + w) * density) + 1) / density, window.x + window.w)
  const bottom = Math.min((Math.ceil((y + h) * density) + 1) / density, window.y + window.h)
  return { x: left, y: top, w: right - left, h: bottom - top }
}
