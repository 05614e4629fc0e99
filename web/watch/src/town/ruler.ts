import { bitmap } from './bitmap.js'

/**
 * The number of texts measured with one canvas. Chromium keeps the shape of each until the canvas has been shown, and
 * this one never is: in a town where every line is new, Chromium would keep all of them.
 */
const WORN = 512

/** Measures text as it is drawn on a canvas. */
export class Ruler {
  #draw = bitmap(1, 1).draw
  #measured = 0

  /** Returns a function for the width of texts in a font, in CSS pixels; valid until the next font is requested. */
  measure(font: string): (text: string) => number {
    const draw = this.#drawIn(font)
    return (text) => {
      this.#measured++
      return draw.measureText(text).width
    }
  }

  /** Returns how far a text extends up or down from the middle of its line, whichever is more, in CSS pixels. */
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
