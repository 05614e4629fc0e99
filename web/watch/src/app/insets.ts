import type { TownInsets } from '../town/types.js'

/** So much is free between the town and what covers its edge, in CSS pixels. */
const gap = 12
/** And so much below what is at the top of a narrow one, where heads are as high as the land. */
const headroom = 18
/** What lies over the town: beside it in a wide window, below it in a narrow one. */
const beside = '.register, .panel'
const below = '.register, .panel, .timebar, .zoom, .ticker, .latest, .actions, .top > button'
/** The same while somebody walks, with a stick in the one corner and a button in the other. */
const belowStick = '.register, .panel, .timebar, .ticker, .latest, .actions'

/**
 * Says which edges of the town are covered, now and whenever that changes. What covers them is measured: how high
 * a row of buttons is depends on the language, the size of letters and what is there to be shown.
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

/** Where an element is laid out: not where it is on its way to there. */
function boxOf(element: HTMLElement): Box {
  let [left, top] = [0, 0]
  for (let at: Element | null = element; at instanceof HTMLElement; at = at.offsetParent) {
    left += at.offsetLeft
    top += at.offsetTop
  }
  const { offsetWidth: width, offsetHeight: height } = element
  return { left, right: left + width, top, bottom: top + height, width }
}
