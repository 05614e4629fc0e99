import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** Gives a small sheet the focus when it opens. Escape closes it, and so does a press outside the element that `around` selects. */
export function useSheet(box: RefObject<HTMLElement | null>, around: string, close: () => void): void {
  useEffect(() => {
    box.current?.focus({ preventScroll: true })
    // Escape closes this first, and what is selected only then.
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      close()
    }
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Element && event.target.closest(around) === null) close()
    }
    addEventListener('keydown', escape, true)
    addEventListener('pointerdown', outside, true)
    return () => { removeEventListener('keydown', escape, true); removeEventListener('pointerdown', outside, true) }
  }, [])
}
