import type { Allowance } from './allowance.js'
import { bitmap } from './bitmap.js'

/** The extent of a picture around its origin, in ground units. */
export interface Frame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** The instructions for drawing a picture. */
export interface Pattern {
  /** Its key in the cache: the same picture has the same name. */
  readonly name: string
  readonly frame: Frame
  readonly paint: (draw: CanvasRenderingContext2D) => void
}

interface Sprite {
  readonly canvas: HTMLCanvasElement
  readonly scale: number
}

/** The maximum number of pixels of all pictures together: 40 MiB of memory. */
const MOST_PIXELS = 10 * 2 ** 20

/**
 * The pictures of the town, as bitmaps at the scale of the camera. If there are too
 * many, the least recently used are removed.
 */
export class Sprites {
  readonly #made = new Map<string, Sprite>()
  #pixels = 0
  #scale = 1

  /** @param allowance The limit of a frame: a picture beyond it is missing, or at an old scale, until the next frame. */
  constructor(private readonly allowance: Allowance) {}

  /** Sets the device pixels per ground unit for pictures created from now on. */
  setScale(scale: number): void { this.#scale = scale }

  /** Forgets every picture, for example when the palette changes. */
  clear(): void {
    this.#made.clear()
    this.#pixels = 0
  }

  /** Returns the bitmap of a picture; undefined if it has to wait for the next frame. */
  get(pattern: Pattern): HTMLCanvasElement | undefined { return this.#get(pattern)?.canvas }

  #get(pattern: Pattern): Sprite | undefined {
    const found = this.#made.get(pattern.name)
    if (found !== undefined) {
      // A map keeps the order of insertion: the last used picture moves to its end.
      this.#made.delete(pattern.name)
      this.#made.set(pattern.name, found)
      if (found.scale === this.#scale) return found
    }
    if (!this.allowance.take()) return found
    if (found !== undefined) this.#drop(pattern.name, found)
    return this.#make(pattern)
  }

  #make({ name, frame, paint }: Pattern): Sprite {
    const { canvas, draw } = bitmap(frame.width * this.#scale, frame.height * this.#scale)
    draw.setTransform(canvas.width / frame.width, 0, 0, canvas.height / frame.height, 0, 0)
    draw.translate(-frame.left, -frame.top)
    paint(draw)
    const sprite = { canvas, scale: this.#scale }
    this.#made.set(name, sprite)
    this.#pixels += canvas.width * canvas.height
    for (const [other, old] of this.#made) {
      if (this.#pixels <= MOST_PIXELS || other === name) break
      this.#drop(other, old)
    }
    return sprite
  }

  #drop(name: string, sprite: Sprite): void {
    this.#made.delete(name)
    this.#pixels -= sprite.canvas.width * sprite.canvas.height
  }
}

/**
 * Draws a picture's bitmap with its origin at a point of the window.
 * @param scale CSS pixels per ground unit.
 */
export function drawSprite(c: CanvasRenderingContext2D, canvas: HTMLCanvasElement, { left, top, width, height }: Frame, x: number, y: number, scale: number, flip = false): void {
  if (flip) {
    c.save()
    c.translate(x, y)
    c.scale(-1, 1)
    c.drawImage(canvas, left * scale, top * scale, width * scale, height * scale)
    c.restore()
  } else {
    c.drawImage(canvas, x + left * scale, y + top * scale, width * scale, height * scale)
  }
}
