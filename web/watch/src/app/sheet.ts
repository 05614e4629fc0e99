import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/**
 * Moves the focus to a small sheet when it opens, and back when it closes, unless another element has it by then. Escape
 * closes it, unless Escape closes something else, and so does a press outside the element that `around` selects.
 */
export function useSheet(box: RefObject<HTMLElement | null>, around: string | undefined, close: () => void): void {
  useLayoutEffect(() => {
    const { current: sheet } = box
    const before = document.activeElement
    sheet?.focus({ preventScroll: true })
    // Escape closes the sheet first, the panel only after it.
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      event.preventDefault()
      close()
    }
    const outside = (event: PointerEvent): void => {
      if (around !== undefined && event.target instanceof Element && event.target.closest(around) === null) close()
    }
    addEventListener('keydown', escape, true)
    addEventListener('pointerdown', outside, true)
    return () => {
      removeEventListener('keydown', escape, true)
      removeEventListener('pointerdown', outside, true)
      const { activeElement } = document
      const lost = activeElement === null || activeElement === document.body || sheet?.contains(activeElement) === true
      if (lost && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
}
