import type { TownInsets } from '../town/types.js'

/** The space between the town and whatever covers its edge, in CSS pixels. */
const gap = 12
/** The additional space below the top in a narrow window, where heads are as high as the land. */
const headroom = 18
/** The elements that cover the town: beside it in a wide window, below it in a narrow one. */
const beside = '.register, .panel'
const below = '.register, .panel, .timebar, .zoom, .ticker, .latest, .actions, .top > button'
/** The same while a person walks, with a stick in one corner and a button in the other. */
const belowStick = '.register, .panel, .timebar, .ticker, .latest, .actions'

/**
 * Reports which edges of the town are covered, now and whenever that changes. The elements are measured: the height of
 * a row of buttons depends on the language, the letter size and the buttons shown.
 */
export function watchInsets(town: HTMLElement, narrow: MediaQueryList, changed: (insets: TownInsets) => void): () => void {
  const page = town.closest<HTMLElement>('.page') ?? document.body
  let last = ''
  const measure = (): void => {
    const insets = insetsOf(page, town, narrow.matches)
    const now = JSON.stringify(insets)
    if (now === last) return
    last = now
    changed(insets)
  }
  const sizes = new ResizeObserver(measure)
  const observe = (): void => {
    sizes.disconnect()
    for (const element of [town, ...page.querySelectorAll(`.top, ${below}`)]) sizes.observe(element)
    measure()
  }
  const changes = new MutationObserver(observe)
  changes.observe(page, { childList: true, attributeFilter: ['class'] })
  for (const part of page.querySelectorAll('.top, .map')) changes.observe(part, { childList: true })
  observe()
  return () => { sizes.disconnect(); changes.disconnect() }
}

function insetsOf(page: HTMLElement, town: HTMLElement, narrow: boolean): TownInsets {
  const whole = boxOf(town)
  const insets = { top: 0, right: gap, bottom: gap, left: gap }
  const boxes = (selector: string): Box[] => [...page.querySelectorAll<HTMLElement>(selector)].map(boxOf).filter(({ width }) => width > 0)
  for (const { bottom } of boxes('.top')) insets.top = Math.max(insets.top, bottom - whole.top + (narrow ? headroom : gap))
  for (const { top } of boxes(!narrow ? '.timebar, .latest, .person' : page.querySelector('.stick') === null ? below : belowStick)) insets.bottom = Math.max(insets.bottom, whole.bottom - top + gap)
  for (const { left, right } of narrow ? [] : boxes(beside)) {
    if (left + right < whole.left + whole.right) insets.left = Math.max(insets.left, right - whole.left + gap)
    else insets.right = Math.max(insets.right, whole.right - left + gap)
  }
  return insets
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly width: number
}

/** Returns the box of an element's layout, without transitions. */
function boxOf(element: HTMLElement): Box {
  let [left, top] = [0, 0]
  for (let at: Element | null = element; at instanceof HTMLElement; at = at.offsetParent) {
    left += at.offsetLeft
    top += at.offsetTop
  }
  const { offsetWidth: width, offsetHeight: height } = element
  return { left, right: left + width, top, bottom: top + height, width }
}
