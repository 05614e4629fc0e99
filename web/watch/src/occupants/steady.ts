import { useEffect, useRef, useState } from 'preact/hooks'
import type { OccupantThing } from '../world/things.js'
import type { GroupOfRows } from './order.js'

/** How long rows stay in their places after the pointer has moved over them, in milliseconds. */
const rest = 1500

/** Keeps rows in their places while the pointer moves over them, so that a click meets the row that it was meant for. */
export function useSteady(groups: readonly GroupOfRows[]): { readonly groups: readonly GroupOfRows[], readonly onPointerMove: () => void, readonly onPointerLeave: () => void } {
  const [moves, move] = useState(false)
  const shown = useRef(groups)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => { clearTimeout(timer.current) }, [])
  if (shown.current !== groups) shown.current = (moves ? inPlaces(shown.current, groups) : undefined) ?? groups
  const end = (): void => { clearTimeout(timer.current); shown.current = []; move(false) }
  return {
    groups: shown.current,
    onPointerMove: () => { clearTimeout(timer.current); timer.current = setTimeout(end, rest); move(true) },
    onPointerLeave: end,
  }
}

/** Returns the rows of now in the places of before; undefined if some came or left. */
export function inPlaces(before: readonly GroupOfRows[], now: readonly GroupOfRows[]): readonly GroupOfRows[] | undefined {
  const rows = new Map<string, OccupantThing>(now.flatMap((group) => group.rows.map(({ row }) => [row.key, row])))
  const known = before.flatMap((group) => group.rows)
  if (known.length !== rows.size || !known.every(({ row }) => rows.has(row.key))) return undefined
  return before.map((group) => ({ ...group, rows: group.rows.map((placed) => ({ ...placed, row: rows.get(placed.row.key) ?? placed.row })) }))
}
