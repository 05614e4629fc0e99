/** A canvas of its own to draw a picture on that is used again and again. */
export interface Bitmap {
  readonly canvas: HTMLCanvasElement
  readonly draw: CanvasRenderingContext2D
}

/** Makes a canvas of a size in device pixels. */
export function bitmap(width: number, height: number): Bitmap {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.ceil(width))
  canvas.height = Math.max(1, Math.ceil(height))
  const draw = canvas.getContext('2d')
  if (draw === null) throw new Error('this browser draws no canvas')
  return { canvas, draw }
}
