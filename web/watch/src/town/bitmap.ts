/** A reusable canvas for drawing a picture. */
export interface Bitmap {
  readonly canvas: HTMLCanvasElement
  readonly draw: CanvasRenderingContext2D
}

/** Returns an empty canvas of a size in device pixels, reusing an old one if given. */
export function bitmap(width: number, height: number, old?: Bitmap): Bitmap {
  const canvas = old?.canvas ?? document.createElement('canvas')
  // Setting the size of a canvas clears it and resets its context.
  canvas.width = Math.max(1, Math.ceil(width))
  canvas.height = Math.max(1, Math.ceil(height))
  if (old !== undefined) return old
  const draw = canvas.getContext('2d')
  if (draw === null) throw new Error('this browser draws no canvas')
  return { canvas, draw }
}
