import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface FleetingButtonProps {
  readonly onClick: () => void
  readonly children: ComponentChildren
  /** A class for its style. */
  readonly look?: string
  /** Its accessible name, if its text is not sufficient. */
  readonly label?: string
  readonly title?: string
}

/**
 * A small button that is shown temporarily, for example while there is no connection.
 * If it is removed while it has the focus, the focus moves to the nearest
 * focusable ancestor, so that a keyboard user continues from there and not from
 * the beginning of the page.
 */
export function FleetingButton({ onClick, children, look, label, title }: FleetingButtonProps): VNode {
  const button = useRef<HTMLButtonElement>(null)
  // The cleanup of useEffect runs too late: the button is removed by then.
  useLayoutEffect(() => {
    const { current } = button
    return () => {
      if (current !== document.activeElement) return
      current?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true })
    }
  }, [])
  return <button type="button" class={`small ${look ?? ''}`} ref={button} aria-label={label} title={title} onClick={onClick}>{children}</button>
}
