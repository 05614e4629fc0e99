/** Which way reading goes at an element: 1 to the right, -1 to the left. */
export function onward(element: Element): 1 | -1 {
  return getComputedStyle(element).direction === 'rtl' ? -1 : 1
}

/** The tab that a key leads to from another: an arrow to the one that it points to, Home to the first and End to the last; undefined for other keys. */
export function tabBy<Name>({ key, currentTarget }: KeyboardEvent, names: readonly Name[], from: Name): Name | undefined {
  if (key === 'Home') return names[0]
  if (key === 'End') return names.at(-1)
  if (!(currentTarget instanceof Element) || (key !== 'ArrowRight' && key !== 'ArrowLeft')) return undefined
  const by = (key === 'ArrowRight') === (onward(currentTarget) === 1) ? 1 : -1
  return names[(names.indexOf(from) + by + names.length) % names.length]
}
