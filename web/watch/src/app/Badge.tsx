import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { FIGURE, drawFigure } from '../town/figure.js'
import { lookOf } from '../town/look.js'
import type { Thing } from '../world/things.js'

/** The height of a badge in CSS pixels, as in base.css, times the highest common pixel density. */
const drawn = 42 * 3

/** The icon of a thing: an agent's figure, as in the town, a person's in a circle, or a sign for other kinds. */
export function Badge({ thing }: { thing: Thing }): VNode {
  if (thing.kind === 'agent' || thing.kind === 'human') {
    return <Figure id={thing.id} person={thing.kind === 'human'} />
  }
  if (thing.kind === 'mcp') {
    return (
      <svg class="badge" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <path d="M12 12h8l2 17H10z" fill="var(--wall)" stroke="var(--wall-edge)" stroke-width="1.6" stroke-linejoin="round" />
        <path d="M11.6 16h8.8l.4 4h-9.6zM11 24h10l.4 4H10.6z" fill="var(--lantern)" />
        <path d="M16 1.5l4.6 5.2L16 12l-4.6-5.3z" fill="var(--lantern)" stroke="var(--wall-edge)" stroke-width="1.4" stroke-linejoin="round" />
      </svg>
    )
  }
  if (thing.kind === 'space') {
    return (
      <svg class="badge" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <path d="M7 13h18v14H7z" fill="var(--wall)" stroke="var(--wall-edge)" stroke-width="2" />
        <path d="M14 27v-8h4v8" fill="none" stroke="var(--wall-edge)" stroke-width="2" />
        <path d="M7 6h18l3 6H4z" fill="var(--roof)" />
        <path d="M4 12a3 3 0 0 0 6 0a3 3 0 0 0 6 0a3 3 0 0 0 6 0a3 3 0 0 0 6 0" fill="var(--lantern)" stroke="var(--wall-edge)" stroke-width="1.4" />
      </svg>
    )
  }
  return (
    <svg class="badge" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path d="M6 15 16 6l10 9v12H6z" fill="var(--wall)" stroke="var(--wall-edge)" stroke-width="2" />
      <path d="M4 16 16 5l12 11" fill="none" stroke="var(--roof)" stroke-width="3" stroke-linecap="round" stroke-linejoin="round" />
      <path d="M13 27v-8h6v8" fill="none" stroke="var(--wall-edge)" stroke-width="2" />
    </svg>
  )
}

/** Draws figures when they come near the view: of a long list, only a few. */
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting || !(target instanceof HTMLCanvasElement)) continue
    seen.unobserve(target)
    drawOn(target)
  }
}, { rootMargin: '200px' })

function Figure({ id, person }: { id: string, person: boolean }): VNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const { current } = canvas
    if (current === null) return undefined
    seen.observe(current)
    return () => { seen.unobserve(current) }
  }, [id])
  return <canvas class={person ? 'badge human' : 'badge'} data-id={id} aria-hidden="true" ref={canvas} />
}

function drawOn(canvas: HTMLCanvasElement): void {
  canvas.width = drawn
  canvas.height = drawn
  const c = canvas.getContext('2d')
  if (c === null) return
  const scale = drawn / (FIGURE.height + 4)
  c.setTransform(scale, 0, 0, scale, drawn / 2, (2 - FIGURE.top) * scale)
  drawFigure(c, lookOf(canvas.dataset.id ?? ''), 0)
}
