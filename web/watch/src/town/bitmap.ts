/** A canvas of its own to draw a picture on that is used again and again. */
export interface Bitmap {
  readonly canvas: HTMLCanvasElement
  readonly draw: CanvasRenderingContext2D
}

/** Makes a canvas of a size in device pixels, out of an old one where there is one. It is empty. */
export function bitmap(width: number, height: number, old?: Bitmap): Bitmap {
  const canvas = old?.canvas ?? document.createElement('canvas')
  // To set its size empties a canvas, and puts its context back as it was at first.
  canvas.width = Math.max(1, Math.ceil(width))
  canvas.height = Math.max(1, Math.ceil(height))
  if (old !== undefined) return old
  const draw = canvas.getContext('2d')
  if (draw === null) throw new Error('this browser draws no canvas')
  return { canvas, draw }
}
