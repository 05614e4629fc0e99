import type { VNode } from 'preact'
import { markOf } from './platform.js'

/** The mark of a platform beside its name, which is the same information for screen readers. */
export function PlatformMark({ platform }: { platform: string }): VNode | null {
  const mark = markOf(platform)
  return mark === undefined ? null : <span class={`platform ${mark.tone}`} aria-hidden="true">{mark.letters}</span>
}
