import type { Allowance } from './allowance.js'
import type { BubblePlace } from './bubbles.js'
import { placeBubbles, TAIL } from './bubbles.js'
import type { Camera } from './camera.js'
import type { Item } from './display.js'
import type { Box, Point } from './geometry.js'
import { alike, clamp, contains, grown, nth } from './geometry.js'
import type { Palette } from './palette.js'
import type { Paper, Sheet } from './paper.js'
import { bubbleFill } from './paper.js'
import type { Speech } from './residents.js'
import { postpone } from './residents.js'
import type { Marks, Shown } from './shown.js'
import { isMarked } from './shown.js'

/** Where more residents than this are in view, bubbles are narrow. */
const CROWD = 30

/** Somebody who says something, and that in all its sizes. */
interface Speaker {
  readonly shown: Shown
  readonly speech: Speech
  readonly sheets: readonly Sheet[]
}

/** What is said in the town. */
export class Voices {
  /** What is being said in this frame, and where it was not yet swept away, in the one before. */
  readonly #written = new Map<Speech, readonly Sheet[]>()
  #narrow = false
  /** What bubbles were laid out by, and where to. */
  #speeches: readonly Speech[] = []
  #laid: number[] = []
  #places: readonly (BubblePlace | null)[] = []
  /** The bubbles that are shown, with the keys of those who speak. */
  shown: readonly { readonly key: string, readonly box: Box }[] = []
  /** Whether something is seen now that was not in the frame before: then names may change places for it. */
  changed = false

  constructor(private readonly paper: Paper, private readonly allowance: Allowance) {}

  /** Forgets what was written, such as when the palette changes. */
  clear(): void {
    this.#written.clear()
    this.#speeches = []
  }

  /** Every bubble that there is room for; what is said by the others waits for a while. */
  items(all: readonly Shown[], camera: Camera, marks: Marks, p: Palette, now: number): Item[] {
    this.#narrowed(camera.width < 560 || all.length > CROWD)
    const view = grown(camera.free, -6)
    const heard = grown(view, 24)
    const speakers = all.flatMap((shown) => {
      const { resident: { speech, key }, strength, head } = shown
      if (speech === null || strength <= 0.5 || !contains(heard, head)) return []
      const sheets = this.#sheets(speech)
      return sheets === undefined ? [] : [{ shown, speech, sheets, rank: Number(isMarked(key, marks)) * 2 + Number(speech.place !== null) }]
    })
    this.#sweep(new Set(speakers.map(({ speech }) => speech)))
    this.changed = false
    this.shown = []
    if (speakers.length === 0) return []
    // Who was first to find room keeps it; the others only when there is room.
    speakers.sort((a, b) => b.rank - a.rank || b.speech.since - a.speech.since)
    const places = this.#placed(speakers, all, view)
    const tails: Item[] = []
    const sheets: Item[] = []
    const shown: { key: string, box: Box }[] = []
    speakers.forEach(({ shown: { head, resident: { key } }, speech, sheets: sizes }, i) => {
      const place = nth(places, i)
      this.changed ||= speech.place === null && place !== null
      speech.place = place && { x: place.box.x - head.x, y: place.box.y - head.y, size: place.size }
      if (place === null) {
        postpone(speech, now)
        return
      }
      const { box } = place
      const sheet = nth(sizes, place.size)
      if (speech.kind !== 'step') shown.push({ key, box })
      const top = Math.min(box.y, head.y)
      tails.push({
        name: `tail ${key}`, looks: [speech.kind, head.x, head.y, p],
        box: { x: Math.min(box.x, head.x) - 6, y: top, w: Math.max(box.x + box.w, head.x) - Math.min(box.x, head.x) + 12, h: Math.max(box.y + box.h, head.y) - top + 2 },
        draw: (c) => { drawTail(c, p, head, box, bubbleFill(p, speech.kind)) },
      })
      sheets.push({ name: `bubble ${key}`, box, looks: [sheet], draw: (c) => { c.drawImage(sheet.make(), box.x, box.y, box.w, box.h) } })
    })
    this.shown = shown
    // Tails go below every sheet: what somebody says hides no word of another.
    return [...tails, ...sheets]
  }

  /** The places of what is said: those of the frame before where nothing has moved. */
  #placed(speakers: readonly Speaker[], all: readonly Shown[], view: Box): readonly (BubblePlace | null)[] {
    const speeches = speakers.map(({ speech }) => speech)
    const names = all.flatMap(({ plate }) => plate === null ? [] : [plate.box])
    const inputs = [view.x, view.y, view.w, view.h]
    for (const { shown: { head }, sheets } of speakers) inputs.push(head.x, head.y, sheets.length)
    for (const { x, y, w, h } of names) inputs.push(x, y, w, h)
    for (const { body: { x, y, w } } of all) inputs.push(x, y, w)
    const same = speeches.length === this.#speeches.length && speeches.every((speech, i) => speech === this.#speeches[i])
    if (same && alike(inputs, this.#laid)) return this.#places
    this.#speeches = speeches
    this.#laid = inputs
    const wants = speakers.map(({ shown: { head }, speech, sheets }) => ({ head, sizes: sheets, before: speech.place }))
    this.#places = placeBubbles(wants, names, all.map(({ body }) => body), view)
    return this.#places
  }

  /** Puts away what was said before. */
  #sweep(said: ReadonlySet<Speech>): void {
    for (const [speech, sheets] of this.#written) {
      if (said.has(speech)) continue
      for (const sheet of sheets) sheet.release()
      this.#written.delete(speech)
    }
  }

  #narrowed(narrow: boolean): void {
    if (narrow !== this.#narrow) this.clear()
    this.#narrow = narrow
  }

  /** What is said in all its sizes: as a whole, in a line, and as the mere sign that something is said. */
  #sheets(speech: Speech): readonly Sheet[] | undefined {
    const known = this.#written.get(speech)
    if (known !== undefined) return known
    if (!this.allowance.take()) return undefined
    const { text, kind } = speech
    const whole = this.paper.bubble(text, kind, this.#narrow ? 150 : 210, this.#narrow ? 3 : 4)
    const line = this.paper.line(text, kind)
    const sign = this.paper.line('…', kind)
    const sheets = [whole, line, sign].filter((sheet, i, list) => i === 0 || sheet.w < nth(list, i - 1).w)
    this.#written.set(speech, sheets)
    return sheets
  }
}

function drawTail(c: CanvasRenderingContext2D, p: Palette, head: Point, box: Box, fill: string): void {
  const inset = Math.min(16, box.w / 2 - 2)
  const foot = { x: clamp(head.x, box.x + inset, box.x + box.w - inset), y: box.y + box.h - 1 }
  if (head.y <= foot.y + 1) return
  c.beginPath()
  c.moveTo(foot.x - 5, foot.y)
  c.quadraticCurveTo(foot.x, foot.y + TAIL / 2, head.x, head.y - 1)
  c.quadraticCurveTo(foot.x + 3, foot.y + TAIL / 2, foot.x + 5, foot.y)
  c.fillStyle = fill
  c.strokeStyle = p.edge
  c.lineWidth = 1
  c.stroke()
  c.fill()
}
