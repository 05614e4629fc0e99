import type { Bounds } from '../protocol/contract.js'

/** Returns the position within some bounds that is closest to a position. */
export function clampWorldPosition(position: { readonly x: number; readonly y: number }, bounds: Bounds): { x: number; y: number } {
  const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))
  return { x: within(position.x, bounds.minX, bounds.maxX), y: within(position.y, bounds.minY, bounds.maxY) }
}

/** Reports whether a position is within some bounds. */
export function boundsContain(bounds: Bounds, position: { readonly x: number; readonly y: number }): boolean {
  return position.x >= bounds.minX && position.x <= bounds.maxX && position.y >= bounds.minY && position.y <= bounds.maxY
}
