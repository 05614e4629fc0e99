import { bitmap } from './bitmap.js'
import type { Bitmap } from './bitmap.js'
import { clamp } from './geometry.js'
import type { Palette } from './palette.js'
import { clean, direction, fitted, shortened, wrapped } from './prose.js'
import { Ruler } from './ruler.js'
import type { TownRole } from './types.js'

/** The kind of a bubble: a spoken line by its role, or the sign of a step. */
export type BubbleKind = TownRole | 'step'
/** The look of a name: plain, picked by the person, or of a resident that just arrived. */
export type NameLook = 'plain' | 'picked' | 'fresh'

const FAMILY = "ui-rounded, 'Segoe UI', Cantarell, Ubuntu, 'Noto Sans', system-ui, sans-serif"
const MONO = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
/** The height of a line in a bubble, in CSS pixels. */
const LINE = 16.5
/** The text width of a small bubble and its margins, in CSS pixels. */
const SMALL = { text: 100, sides: 16, ends: 6 } as const
/** The number of bitmaps kept for reuse, and how often one is used: a browser may keep all text ever drawn on it. */
const SPARE = 32
const WORN = 64
/** Names of up to this many characters are never cut. */
const WHOLE = 12
/** The maximum height of a name's line, as a multiple of the usual one: combining marks can pile up without a limit. */
const TALLEST = 1.6

interface SpareBitmap extends Bitmap {
  readonly uses: number
}

/** How text is drawn: device pixels per CSS pixel, and its size as a multiple of the usual one. */
export interface Lettering {
  readonly density: number
  readonly size: number
}

/** Windows of up to this size in CSS pixels have letters of the usual size; in larger ones they grow with the window, because a wall screen is viewed from a distance. */
const USUAL = { width: 1440, height: 900 } as const
const LARGEST = 2
/** How much larger letters are on a known wall screen. */
export const WALL = 1.5

/** Returns the letter size in a window of a size in CSS pixels, as a multiple of the usual one, rounded to tenths. */
export function letterSize(width: number, height: number, times = 1): number {
  return Math.round(clamp(Math.min(width / USUAL.width, height / USUAL.height), 1, LARGEST) * times * 10) / 10
}

/** A picture of text: its size in CSS pixels is known at once, the bitmap is created when it is needed. */
export class Sheet {
  readonly w: number
  readonly h: number
  #bitmap: SpareBitmap | null = null

  /**
   * @param width The width at the usual size.
   * @param height The height at the usual size.
   * @param spare Unused bitmaps: creating a new one costs more than drawing on it.
   */
  constructor(
    width: number, height: number, private readonly lettering: Lettering,
    private readonly spare: SpareBitmap[], private readonly paint: (c: CanvasRenderingContext2D) => void,
  ) {
    this.w = Math.ceil(width * lettering.size)
    this.h = Math.ceil(height * lettering.size)
  }

  /** Returns the bitmap, creating it if it does not exist. */
  make(): HTMLCanvasElement {
    if (this.#bitmap !== null) return this.#bitmap.canvas
    const old = this.spare.pop()
    const { density, size } = this.lettering
    const made = bitmap(this.w * density, this.h * density, old)
    made.draw.setTransform(density * size, 0, 0, density * size, 0, 0)
    this.paint(made.draw)
    this.#bitmap = { ...made, uses: (old?.uses ?? 0) + 1 }
    return made.canvas
  }

  /** Releases the bitmap for reuse; it can be created again. */
  release(): void {
    if (this.#bitmap !== null && this.#bitmap.uses < WORN && this.spare.length < SPARE) this.spare.push(this.#bitmap)
    this.#bitmap = null
  }
}

/** Draws names and bubbles. The caller keeps the sheets. */
export class Paper {
  readonly #ruler = new Ruler()
  readonly #spare: SpareBitmap[] = []

  constructor(private palette: Palette, private lettering: Lettering) {}

  /** Sets the palette, and how text is drawn. */
  reset(palette: Palette, lettering: Lettering): void {
    this.palette = palette
    this.lettering = lettering
  }

  /**
   * Returns a name on a plate, with a second line below it if that is not empty.
   * @param limit The maximum width of a long name in CSS pixels; a short one is never cut.
   * @param small Whether letters are small, if there is little room.
   * @param person Whether the name belongs to a person: its plate is round, with the sign of a person.
   */
  name(text: string, second: string, limit: number, look: NameLook, small: boolean, person = false): Sheet {
    const p = this.palette
    const font = `600 ${small ? 10.5 : 12}px ${FAMILY}`
    const measure = this.#ruler.measure(font)
    const first = shortened(clean(text, 120), limit, WHOLE, measure)
    const dot = person ? 13 : look === 'fresh' ? 9 : 0
    let w = measure(first) + dot
    const lower = `500 10px ${FAMILY}`
    const measureLower = this.#ruler.measure(lower)
    const below = second === '' ? '' : fitted(clean(second, 80), limit, measureLower)
    if (below !== '') w = Math.max(w, measureLower(below))
    const line = this.#lineOf(first, font, small ? 14 : 17)
    const h = below === '' ? line : line + 12
    const width = Math.ceil(w) + (small ? 8 : 12) + (person ? 4 : 0)
    return this.#sheet(width, h, (c) => {
      card(c, width, h, look === 'picked' ? p.pick : p.plate, person ? p.pick : p.plateEdge, person ? h / 2 : 7)
      const inverse = look === 'picked' ? (p.dark ? '#141824' : '#ffffff') : ''
      if (person) {
        c.fillStyle = inverse || p.pick
        personSign(c, small ? 10 : 12, h / 2)
      } else if (dot > 0) {
        c.fillStyle = p.fresh
        c.beginPath()
        c.arc(small ? 7 : 8, line / 2, small ? 2.5 : 3, 0, Math.PI * 2)
        c.fill()
      }
      c.textAlign = 'center'
      c.textBaseline = 'middle'
      c.direction = direction(first)
      c.font = font
      c.fillStyle = inverse || p.plateInk
      c.fillText(first, (width + dot) / 2, line / 2 + 0.5)
      c.font = lower
      c.direction = direction(below)
      c.fillStyle = inverse || p.plateSoft
      c.fillText(below, person ? (width + dot) / 2 : width / 2, line + 4)
    })
  }

  /**
   * Returns a line, a question or a step, on a card.
   * @param limit The maximum width of a line in CSS pixels.
   * @param most The maximum number of lines; longer text ends with an ellipsis.
   */
  bubble(text: string, kind: BubbleKind, limit: number, most: number): Sheet {
    const font = fontOf(kind)
    const measure = this.#ruler.measure(font)
    const whole = clean(text, 240)
    const lines = wrapped(whole, limit, most, measure)
    const w = Math.ceil(Math.max(24, ...lines.map(measure))) + 22
    const h = lines.length * LINE + 13
    return this.#sheet(w, h, (c) => {
      this.#bubbleCard(c, w, h, kind, font, direction(whole))
      c.textAlign = c.direction === 'rtl' ? 'right' : 'left'
      const x = c.direction === 'rtl' ? w - 11 : 11
      lines.forEach((line, i) => { c.fillText(line, x, 7 + LINE * (i + 0.5)) })
    })
  }

  /** Returns the beginning of the text on a small card, if there is little room. */
  line(text: string, kind: BubbleKind): Sheet {
    const font = fontOf(kind)
    const whole = clean(text, 60)
    const w = Math.ceil(Math.min(this.#ruler.measure(font)(whole), SMALL.text)) + SMALL.sides
    const h = LINE + SMALL.ends
    return this.#sheet(w, h, (c) => {
      this.#bubbleCard(c, w, h, kind, font, direction(whole))
      c.textAlign = 'center'
      c.fillText(fitted(whole, SMALL.text, this.#ruler.measure(font)), w / 2, h / 2 + 0.5)
    })
  }

  /** Returns the line height of a name: more than usual if its script extends farther up or down than Latin letters. */
  #lineOf(text: string, font: string, usual: number): number {
    if (/^[\x20-\u024f]*$/.test(text)) return usual
    return Math.ceil(clamp(2 * (this.#ruler.reach(font, text) + 1), usual, TALLEST * usual))
  }

  #sheet(w: number, h: number, paint: (c: CanvasRenderingContext2D) => void): Sheet {
    return new Sheet(w, h, this.lettering, this.#spare, paint)
  }

  #bubbleCard(c: CanvasRenderingContext2D, w: number, h: number, kind: BubbleKind, font: string, towards: 'ltr' | 'rtl'): void {
    const p = this.palette
    c.fillStyle = bubbleFill(p, kind)
    c.strokeStyle = kind === 'step' ? p.pick : p.edge
    if (kind === 'user') c.setLineDash([4, 3])
    c.beginPath()
    c.roundRect(0.75, 0.75, w - 1.5, h - 1.5, 11)
    c.fill()
    c.stroke()
    c.fillStyle = kind === 'tool' ? p.inkSoft : p.ink
    c.font = font
    c.textBaseline = 'middle'
    c.direction = towards
  }
}

/** Draws a head and shoulders. */
function personSign(c: CanvasRenderingContext2D, x: number, y: number): void {
  c.beginPath()
  c.arc(x, y - 2.6, 2.3, 0, Math.PI * 2)
  c.moveTo(x - 4, y + 4.4)
  c.arc(x, y + 4.4, 4, Math.PI, 0)
  c.fill()
}

function card(c: CanvasRenderingContext2D, w: number, h: number, fill: string, edge: string, corner: number): void {
  c.fillStyle = fill
  c.globalAlpha = 0.94
  c.beginPath()
  c.roundRect(0.5, 0.5, w - 1, h - 1, Math.min(corner, h / 2 - 1))
  c.fill()
  c.globalAlpha = 1
  c.strokeStyle = edge
  c.stroke()
}

function fontOf(kind: BubbleKind): string {
  return kind === 'tool' ? `12px ${MONO}` : `${kind === 'step' ? 600 : 450} 13px ${FAMILY}`
}

/** Returns the fill color of a bubble. */
export function bubbleFill(p: Palette, kind: BubbleKind): string {
  return kind === 'user' ? p.user : kind === 'tool' ? p.tool : p.paper
}
