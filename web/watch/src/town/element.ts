import type { TownText } from './types.js'

/** Creates the canvas of the map, which fills its host element and can have the keyboard focus. */
export function mapCanvas(text: TownText): { canvas: HTMLCanvasElement; draw: CanvasRenderingContext2D } {
  const canvas = document.createElement('canvas')
  canvas.setAttribute('role', 'application')
  canvas.setAttribute('aria-roledescription', text.mapRole)
  canvas.setAttribute('aria-label', text.mapLabel)
  canvas.tabIndex = 0
  Object.assign(canvas.style, { position: 'absolute', inset: '0', width: '100%', height: '100%', touchAction: 'none', display: 'block' })
  const draw = canvas.getContext('2d', { alpha: false })
  if (draw === null) throw new Error('this browser draws no canvas')
  return { canvas, draw }
}
