import type { VNode } from 'preact'
import { markOf } from './platform.js'

/** The mark of a platform beside its name, which says the same to those who do not see it. */
export function PlatformMark({ platform }: { platform: string }): VNode | null {
  const mark = markOf(platform)
  return mark === undefined ? null : <span class={`platform ${mark.tone}`} aria-hidden="true">{mark.letters}</span>
}
