import { signal } from '@preact/signals'
import { keep, keptAs } from './kept.js'

const name = 'playctl-quiet'

/** Whether announcements of events to screen readers are off. */
export const quiet = signal(keptAs(name) === 'on')

/** Turns announcements off or on; the browser stores the setting. */
export function setQuiet(on: boolean): void {
  quiet.value = on
  keep(name, on ? 'on' : 'off')
}
