/** Returns the reading direction at an element: 1 to the right, -1 to the left. */
export function onward(element: Element): 1 | -1 {
  return getComputedStyle(element).direction === 'rtl' ? -1 : 1
}

/** Returns the tab that a key selects from another: an arrow the next one in its direction, Home the first and End the last; undefined for other keys. */
export function tabBy<Name>({ key, currentTarget }: KeyboardEvent, names: readonly Name[], from: Name): Name | undefined {
  if (key === 'Home') return names[0]
  if (key === 'End') return names.at(-1)
  if (!(currentTarget instanceof Element) || (key !== 'ArrowRight' && key !== 'ArrowLeft')) return undefined
  const by = (key === 'ArrowRight') === (onward(currentTarget) === 1) ? 1 : -1
  return names[(names.indexOf(from) + by + names.length) % names.length]
}
