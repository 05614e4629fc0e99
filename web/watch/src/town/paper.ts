import { bitmap } from './bitmap.js'
import type { Palette } from './palette.js'
import { clean, direction, fitted, wrapped } from './prose.js'
import type { TownRole } from './types.js'

/** A picture of text, its size in CSS pixels. */
export interface Sheet {
  readonly canvas: HTMLCanvasElement
  readonly w: number
  readonly h: number
}

/** What a bubble is: something said, or the sign of a step. */
export type BubbleKind = TownRole | 'step'

const FAMILY = "ui-rounded, 'Segoe UI', Cantarell, Ubuntu, 'Noto Sans', system-ui, sans-serif"
const MONO = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
/** Pictures of text kept for use again. */
const KEPT = 400
const LINE = 16.5

/** Makes and keeps pictures of names and of what is said. */
export class Paper {
  readonly #sheets = new Map<string, Sheet>()
  readonly #ruler = bitmap(1, 1).draw

  constructor(private palette: Palette, private density: number) {}

  /** Changes palette and device pixels for a CSS pixel; what was made before is forgotten. */
  reset(palette: Palette, density: number): void {
    this.palette = palette
    this.density = density
    this.#sheets.clear()
  }

  /** A name, with a second line below it where there is one. */
  name(text: string, second: string, limit: number, look: 'plain' | 'picked' | 'fresh' | 'tool'): Sheet {
    const key = `${text}\n${second}\n${limit}\n${look}`
    const kept = this.#sheets.get(key)
    if (kept !== undefined) return kept
    const ruler = this.#ruler
    const font = look === 'tool' ? `500 10.5px ${MONO}` : `600 12px ${FAMILY}`
    ruler.font = font
    const first = fitted(clean(text, 120), limit, (part) => ruler.measureText(part).width)
    const dot = look === 'fresh' ? 9 : 0
    let w = ruler.measureText(first).width + dot
    ruler.font = `500 10px ${FAMILY}`
    const below = fitted(clean(second, 80), limit, (part) => ruler.measureText(part).width)
    if (below !== '') w = Math.max(w, ruler.measureText(below).width)
    const h = below === '' ? 17 : 29
    return this.#make(key, Math.ceil(w) + 12, h, (c, width) => {
      const p = this.palette
      c.fillStyle = look === 'picked' ? p.pick : p.plate
      c.globalAlpha = look === 'tool' ? 0.75 : 0.94
      c.beginPath()
      c.roundRect(0.5, 0.5, width - 1, h - 1, 7)
      c.fill()
      c.globalAlpha = 1
      c.strokeStyle = p.plateEdge
      c.stroke()
      const inverse = look === 'picked' ? (p.dark ? '#141824' : '#ffffff') : ''
      if (dot > 0) {
        c.fillStyle = p.fresh
        c.beginPath()
        c.arc(8, 8.5, 3, 0, Math.PI * 2)
        c.fill()
      }
      c.textAlign = 'center'
      c.textBaseline = 'middle'
      c.direction = direction(first)
      c.font = font
      c.fillStyle = inverse || (look === 'tool' ? p.plateSoft : p.plateInk)
      c.fillText(first, (width + dot) / 2, 9)
      c.font = `500 10px ${FAMILY}`
      c.direction = direction(below)
      c.fillStyle = inverse || p.plateSoft
      c.fillText(below, width / 2, 21)
    })
  }

  /** What somebody says or is told, or a step, on a card. */
  bubble(text: string, kind: BubbleKind, narrow: boolean): Sheet {
    const key = `\u0000${kind}${narrow ? 1 : 0}${text}`
    const kept = this.#sheets.get(key)
    if (kept !== undefined) return kept
    const font = kind === 'tool' ? `12px ${MONO}` : `${kind === 'step' ? 600 : 450} 13px ${FAMILY}`
    const ruler = this.#ruler
    ruler.font = font
    const whole = clean(text, 240)
    const lines = wrapped(whole, narrow ? 150 : 210, 4, (part) => ruler.measureText(part).width)
    const w = Math.ceil(Math.max(24, ...lines.map((line) => ruler.measureText(line).width))) + 22
    const h = lines.length * LINE + 13
    return this.#make(key, w, h, (c) => {
      const p = this.palette
      c.fillStyle = bubbleFill(p, kind)
      c.strokeStyle = kind === 'step' ? p.pick : p.edge
      if (kind === 'user') c.setLineDash([4, 3])
      c.beginPath()
      c.roundRect(0.75, 0.75, w - 1.5, h - 1.5, 11)
      c.fill()
      c.stroke()
      c.setLineDash([])
      c.fillStyle = kind === 'tool' ? p.inkSoft : p.ink
      c.font = font
      c.textBaseline = 'middle'
      c.direction = direction(whole)
      c.textAlign = c.direction === 'rtl' ? 'right' : 'left'
      const x = c.direction === 'rtl' ? w - 11 : 11
      lines.forEach((line, i) => { c.fillText(line, x, 7 + LINE * (i + 0.5)) })
    })
  }

  #make(key: string, w: number, h: number, paint: (c: CanvasRenderingContext2D, w: number) => void): Sheet {
    const { canvas, draw } = bitmap(w * this.density, h * this.density)
    draw.setTransform(this.density, 0, 0, this.density, 0, 0)
    paint(draw, w)
    const sheet = { canvas, w, h }
    if (this.#sheets.size >= KEPT) this.#sheets.delete(this.#sheets.keys().next().value ?? '')
    this.#sheets.set(key, sheet)
    return sheet
  }
}

/** The colour of a bubble. */
export function bubbleFill(p: Palette, kind: BubbleKind): string {
  return kind === 'user' ? p.heard : kind === 'tool' ? p.told : p.paper
}
