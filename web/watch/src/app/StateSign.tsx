import type { VNode } from 'preact'
import type { ActivityState } from '@playctl/sdk'
import { signs } from '../town/signs.js'

/** The sign of a state, as above the heads in the town; its name is in the text beside it. */
export function StateSign({ state }: { state: ActivityState }): VNode {
  const { shape, mark } = signs[state]
  return <svg class={`statesign ${state}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d={shape} />{mark !== '' && <path class="in" d={mark} />}</svg>
}
