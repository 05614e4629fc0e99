import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface FleetingButtonProps {
  readonly onClick: () => void
  readonly children: ComponentChildren
  /** A class for its looks. */
  readonly look?: string
  /** What it is called, where its words do not say enough. */
  readonly label?: string
  readonly title?: string
}

/**
 * A small button that is there for a while, such as while there is no connection.
 * Where it goes while it has the focus, the focus goes to what it is part of, the
 * nearest element around it that can have it: a person at the keyboard
 * goes on from there and not from the beginning of the page.
 */
export function FleetingButton({ onClick, children, look, label, title }: FleetingButtonProps): VNode {
  const button = useRef<HTMLButtonElement>(null)
  // The clean-up of another effect comes when the button is gone already.
  useLayoutEffect(() => {
    const { current } = button
    return () => {
      if (current !== document.activeElement) return
      current?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true })
    }
  }, [])
  return <button type="button" class={`small ${look ?? ''}`} ref={button} aria-label={label} title={title} onClick={onClick}>{children}</button>
}
