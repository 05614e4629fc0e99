/** Which way reading goes at an element: 1 to the right, -1 to the left. */
export function onward(element: Element): 1 | -1 {
  return getComputedStyle(element).direction === 'rtl' ? -1 : 1
}

/** How many tabs on an arrow key goes, in the direction that its list is read. */
export function tabsBy({ key, currentTarget }: KeyboardEvent): -1 | 0 | 1 {
  if (!(currentTarget instanceof Element) || (key !== 'ArrowRight' && key !== 'ArrowLeft')) return 0
  return (key === 'ArrowRight') === (onward(currentTarget) === 1) ? 1 : -1
}
