import type { Allowance } from './allowance.js'
import type { BubblePlace } from './bubbles.js'
import { placeBubbles, TAIL } from './bubbles.js'
import type { Camera } from './camera.js'
import { chooseWhole, MOST_WHOLE } from './chosen.js'
import type { Item } from './display.js'
import type { Box, Point } from './geometry.js'
import { alike, clamp, contains, grown, nth, overlap } from './geometry.js'
import type { Palette } from './palette.js'
import type { Paper, Sheet } from './paper.js'
import { bubbleFill } from './paper.js'
import type { Speech } from './residents.js'
import { postpone } from './residents.js'
import type { Marks, Shown } from './shown.js'
import { isMarked } from './shown.js'

/** The widths of bubbles in CSS pixels and their numbers of lines, the best first, in wide and in narrow windows. */
const FORMS = { wide: [[260, 5], [170, 8]], narrow: [[200, 5], [140, 8]] } as const
/** In a narrow window, the number of bubbles with words, if at most this many residents are in view; a ticker below the map has the words of the others. */
const NARROW = { width: 560, residents: 12, most: 3, first: 4 } as const

/** A resident that says something. */
interface Speaker {
  readonly shown: Shown
  readonly speech: Speech
  readonly since: number
  readonly marked: boolean
}

/** A drawn bubble or mark, with its speaker. */
interface Seen {
  readonly key: string
  readonly box: Box
  /** Whether there is more to read: the step of a journey is in its timeline. */
  readonly opens: boolean
}

/** The spoken lines in the town: full words of a few speakers, and a mark above each other speaker. */
export class Voices {
  /** The sheets of the lines of this frame, and of the frame before until they are removed. */
  readonly #written = new Map<Speech, readonly Sheet[]>()
  readonly #signs = new Map<string, Sheet>()
  #narrow = false
  /** The input and the result of the last layout of bubbles. */
  #speeches: readonly Speech[] = []
  #laid: number[] = []
  #places: readonly (BubblePlace | null)[] = []
  /** The visible bubbles and marks, with the keys of their speakers. */
  shown: readonly Seen[] = []
  /** The keys of the speakers whose words come first, whether there is room for them or not. */
  first: ReadonlySet<string> = new Set()

  constructor(private readonly paper: Paper, private readonly allowance: Allowance) {}

  /** Forgets the written lines, for example when the palette changes. */
  clear(): void {
    this.#written.clear()
    this.#signs.clear()
    this.#speeches = []
  }

  /** Returns all spoken lines: the words of a few speakers, and marks for the others, whose words wait for a while. */
  items(all: readonly Shown[], camera: Camera, marks: Marks, p: Palette, now: number): Item[] {
    this.#narrowed(camera.width < NARROW.width)
    const view = grown(camera.free, -6)
    const audible = grown(view, 24)
    const speakers = all.flatMap((shown): Speaker[] => {
      const { resident: { speech, key }, strength, head } = shown
      if (speech === null || strength <= 0.5 || !contains(audible, head)) return []
      return [{ shown, speech, since: speech.since, marked: isMarked(key, marks) }]
    })
    const most = !this.#narrow ? MOST_WHOLE : all.length <= NARROW.residents ? NARROW.most : 0
    const first = chooseWhole(speakers.map((speaker) => ({ ...speaker, shown: speaker.speech.whole, speaker })), this.#narrow ? NARROW.first : MOST_WHOLE, now)
    this.first = new Set(first.map(({ speaker }) => speaker.shown.resident.key))
    const chosen = first.slice(0, most).map(({ speaker }) => speaker).filter(({ speech }) => this.#sheets(speech) !== undefined)
    this.#sweep(new Set(chosen.map(({ speech }) => speech)))
    this.shown = []
    if (speakers.length === 0) return []
    // Speakers with visible words keep their room.
    const rank = ({ marked, speech }: Speaker): number => Number(marked) * 2 + Number(speech.whole !== null)
    chosen.sort((a, b) => rank(b) - rank(a) || b.since - a.since)
    const places = this.#placed(chosen, all, view)
    const words = new Map(chosen.map((speaker, i) => [speaker, nth(places, i)]))
    const whole: Item[] = []
    const tails: Item[] = []
    const seen: Seen[] = []
    for (const [{ shown: { head, resident: { key } }, speech }, place] of words) {
      if (place === null) continue
      speech.whole ??= now
      speech.place = { x: place.box.x - head.x, y: place.box.y - head.y, size: place.size }
      const sheet = nth(this.#written.get(speech) ?? [], place.size)
      tails.push(tailOf(key, speech, head, place.box, p))
      whole.push(sheetItem(`bubble ${key}`, sheet, place.box))
      seen.push({ key, box: place.box, opens: speech.kind !== 'step' })
    }
    const small: Item[] = []
    const taken = seen.map(({ box }) => box)
    for (const speaker of speakers) {
      const { shown: { head, dot, resident: { key } }, speech } = speaker
      if ((words.get(speaker) ?? null) !== null) continue
      speech.whole = null
      speech.place = null
      postpone(speech, now)
      // A dot has a ring instead.
      if (dot > 0) continue
      const sheet = this.#sign(speech)
      const box = { x: Math.round(head.x - sheet.w / 2), y: Math.round(head.y - sheet.h - 2), w: sheet.w, h: sheet.h }
      if (taken.some((other) => overlap(other, box))) continue
      small.push(sheetItem(`sign ${key}`, sheet, box))
      seen.push({ key, box, opens: speech.kind !== 'step' })
    }
    this.shown = seen
    // Tails are below every sheet, so that they hide no words of other bubbles.
    return [...small, ...tails, ...whole]
  }

  /** Returns the places of bubbles: those of the frame before if nothing has moved. */
  #placed(speakers: readonly Speaker[], all: readonly Shown[], view: Box): readonly (BubblePlace | null)[] {
    const speeches = speakers.map(({ speech }) => speech)
    const inputs = [view.x, view.y, view.w, view.h]
    for (const { shown: { head } } of speakers) inputs.push(head.x, head.y)
    for (const { body: { x, y, w } } of all) inputs.push(x, y, w)
    const same = speeches.length === this.#speeches.length && speeches.every((speech, i) => speech === this.#speeches[i])
    if (same && alike(inputs, this.#laid)) return this.#places
    this.#speeches = speeches
    this.#laid = inputs
    const wants = speakers.map(({ shown: { head }, speech }) => ({ head, sizes: this.#written.get(speech) ?? [], before: speech.place }))
    this.#places = placeBubbles(wants, [], all.map(({ body }) => body), view)
    return this.#places
  }

  /** Removes the sheets of earlier lines. */
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

  /** Returns the sheets of a line in each possible form. */
  #sheets(speech: Speech): readonly Sheet[] | undefined {
    const known = this.#written.get(speech)
    if (known !== undefined) return known
    if (!this.allowance.take()) return undefined
    const forms = this.#narrow ? FORMS.narrow : FORMS.wide
    const sheets = forms.map(([limit, most]) => this.paper.bubble(speech.text, speech.kind, limit, most))
      .filter((sheet, i, list) => i === 0 || sheet.w < nth(list, i - 1).w)
    this.#written.set(speech, sheets)
    return sheets
  }

  /** Returns the mark for a spoken line. */
  #sign({ kind }: Speech): Sheet {
    const sheet = this.#signs.get(kind) ?? this.paper.line('…', kind)
    this.#signs.set(kind, sheet)
    return sheet
  }
}

function sheetItem(name: string, sheet: Sheet, box: Box): Item {
  return { name, box, looks: [sheet], draw: (c) => { c.drawImage(sheet.make(), box.x, box.y, box.w, box.h) } }
}

function tailOf(key: string, { kind }: Speech, head: Point, box: Box, p: Palette): Item {
  const top = Math.min(box.y, head.y)
  return {
    name: `tail ${key}`, looks: [kind, head.x, head.y, p],
    box: { x: Math.min(box.x, head.x) - 6, y: top, w: Math.max(box.x + box.w, head.x) - Math.min(box.x, head.x) + 12, h: Math.max(box.y + box.h, head.y) - top + 2 },
    draw: (c) => { drawTail(c, p, head, box, bubbleFill(p, kind)) },
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
