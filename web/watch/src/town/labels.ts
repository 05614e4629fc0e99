import type { Allowance } from './allowance.js'
import type { Camera } from './camera.js'
import type { Box } from './geometry.js'
import type { Item } from './display.js'
import { alike, clamp, grown, nth } from './geometry.js'
import type { Level } from './level.js'
import type { Palette } from './palette.js'
import type { NameLook, Paper, Sheet } from './paper.js'
import type { PlatePlace } from './plates.js'
import { placePlates } from './plates.js'
import type { Resident } from './residents.js'
import { FRESH } from './residents.js'
import type { Marks, Shown } from './shown.js'
import { isMarked } from './shown.js'
import type { TownText } from './types.js'

/** The detail of plates: small names, names, or names with platforms. */
type Detail = 0 | 1 | 2
/** The detail at each level; for dots, of the few plates that are shown. */
const DETAILS: Readonly<Record<Level, Detail>> = { dots: 0, small: 0, names: 1, platforms: 2 }

/** The bubbles and speakers of a frame. */
export interface Said {
  /** The boxes of bubbles and marks. */
  readonly shown: readonly { readonly box: Box }[]
  /** The keys of speakers whose words come first: their names are shown also when zoomed out. */
  readonly first: ReadonlySet<string>
}

/** The last written name of a resident, and its place. */
interface Label {
  readonly name: string
  readonly second: string
  readonly look: NameLook
  readonly detail: Detail
  readonly own: boolean
  readonly sheet: Sheet
  slot: number | null
}

/** The maximum width of a long name in CSS pixels, by detail. */
const LIMITS = [84, 120, 170] as const

/** The names in the town. A written and placed name stays until something about it changes. */
export class Labels {
  #written = new WeakMap<Resident, Label>()
  #laid: number[] = []
  #places: readonly (PlatePlace | null)[] = []
  #inputs: number[] = []

  constructor(private readonly paper: Paper, private readonly allowance: Allowance, private readonly text: TownText) {}

  /** Forgets the written names, for example when the palette changes. */
  clear(): void {
    this.#written = new WeakMap()
    this.#laid = []
  }

  /**
   * Places every name.
   * @param signs Boxes of other things with text.
   * @param said The bubbles: names leave room for them.
   * @param at The shown moment, in milliseconds since 1970.
   */
  lay(all: readonly Shown[], level: Level, camera: Camera, marks: Marks, signs: readonly Box[], said: Said, now: number, at: number): void {
    const detail = DETAILS[level]
    const words = said.shown.map(({ box }) => box)
    const named: Shown[] = []
    const wants = []
    const inputs = this.#inputs
    inputs.length = 0
    for (const shown of all) {
      const { resident, feet, body } = shown
      if (shown.dot > 0 && !said.first.has(resident.key)) continue
      const label = this.#label(shown, isMarked(resident.key, marks), detail, now, at)
      if (label === undefined) continue
      const { sheet: { w, h }, look, slot } = label
      // Names of speakers with visible words come first.
      const speaks = said.first.has(resident.key)
      const priority = Number(look === 'picked' || shown.own) * 4 + Number(speaks) * 2 + Number(look === 'fresh')
      named.push(shown)
      wants.push({ feet, body, w, h, priority, before: slot })
      inputs.push(feet.x, feet.y, body.w, body.h, w, h, priority)
    }
    for (const { x, y } of signs) inputs.push(x, y)
    for (const { x, y, w, h } of words) inputs.push(x, y, w, h)
    if (!alike(inputs, this.#laid)) {
      this.#places = placePlates(wants, grown(camera.free, 6), signs, words)
      this.#inputs = this.#laid
      this.#laid = inputs
    }
    named.forEach((shown, i) => {
      shown.plate = nth(this.#places, i)
      const label = this.#written.get(shown.resident)
      if (label !== undefined) label.slot = shown.plate?.slot ?? null
    })
  }

  /** Returns every name at its place; first the lines to names that are away from their owners. */
  items(all: readonly Shown[], p: Palette): Item[] {
    const led: Item[] = []
    const names: Item[] = []
    for (const { resident, plate, strength, feet } of all) {
      if (plate === null) continue
      const { x, y, w, h } = plate.box
      if (plate.led) {
        const end = { x: clamp(feet.x, x + 6, x + w - 6), y }
        led.push({
          name: `line ${resident.key}`, looks: [feet.x, feet.y, end.x, end.y, p],
          box: { x: Math.min(feet.x, end.x) - 1, y: Math.min(feet.y, end.y) - 1, w: Math.abs(feet.x - end.x) + 2, h: Math.abs(feet.y - end.y) + 2 },
          draw: (c) => {
            c.strokeStyle = p.plateSoft
            c.lineWidth = 1
            c.beginPath()
            c.moveTo(feet.x, feet.y)
            c.lineTo(end.x, end.y)
            c.stroke()
          },
        })
      }
      const sheet = this.#written.get(resident)?.sheet
      if (sheet === undefined) continue
      names.push({
        name: `name ${resident.key}`, box: plate.box, looks: [sheet, strength],
        draw: (c) => {
          c.globalAlpha = strength
          c.drawImage(sheet.make(), x, y, w, h)
          c.globalAlpha = 1
        },
      })
    }
    return [...led, ...names]
  }

  #label({ resident, own }: Shown, marked: boolean, usual: Detail, now: number, at: number): Label | undefined {
    const { row } = resident
    const detail = marked ? 2 : usual
    const look = marked ? 'picked' : now < resident.arrived + FRESH ? 'fresh' : 'plain'
    const second = own ? this.text.you : detail === 2 && row.kind === 'agent' ? this.text.doing(row, at) || (row.platform ?? '') : ''
    const known = this.#written.get(resident)
    if (known?.name === row.name && known.second === second && known.look === look && known.detail === detail && known.own === own) return known
    // An old name may stay for a frame; a name that was never written appears a frame later.
    if (!this.allowance.take()) return known
    const sheet = this.paper.name(row.name, second, marked ? 320 : LIMITS[detail], look, detail === 0 && !own, row.kind === 'human')
    sheet.make()
    const label = { name: row.name, second, look, detail, own, sheet, slot: known?.slot ?? null } as const satisfies Label
    known?.sheet.release()
    this.#written.set(resident, label)
    return label
  }
}
