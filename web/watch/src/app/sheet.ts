import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/**
 * Gives a small sheet the focus when it opens, and back what had it before when it closes, unless something else has it by then. Escape
 * closes it, where it closes nothing else, and so does a press outside the element that `around` selects.
 */
export function useSheet(box: RefObject<HTMLElement | null>, around: string | undefined, close: () => void): void {
  useLayoutEffect(() => {
    const { current: sheet } = box
    const before = document.activeElement
    sheet?.focus({ preventScroll: true })
    // Escape closes this first, and what is selected only then.
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
