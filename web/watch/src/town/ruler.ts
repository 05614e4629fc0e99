import { bitmap } from './bitmap.js'

/**
 * Texts that one canvas measures. Chromium keeps the shape of each until the canvas has been shown, and this
 * one never is: of a town where every line is new it would keep them all.
 */
const WORN = 512

/** Measures text as a canvas draws it. */
export class Ruler {
  #draw = bitmap(1, 1).draw
  #measured = 0

  /** The width of texts in a font, in CSS pixels; good until the next font is asked for. */
  measure(font: string): (text: string) => number {
    const draw = this.#drawIn(font)
    return (text) => {
      this.#measured++
      return draw.measureText(text).width
    }
  }

  /** How far a text goes up or down from the middle of its line, whichever is more, in CSS pixels. */
  reach(font: string, text: string): number {
    const draw = this.#drawIn(font)
    draw.textBaseline = 'middle'
    this.#measured++
    const { actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = draw.measureText(text)
    return Math.max(up, down)
  }

  #drawIn(font: string): CanvasRenderingContext2D {
    if (this.#measured >= WORN) {
      this.#draw = bitmap(1, 1).draw
      this.#measured = 0
    }
    this.#draw.font = font
    return this.#draw
  }
}
