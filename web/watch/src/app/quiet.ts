import { signal } from '@preact/signals'
import { keep, keptAs } from './kept.js'

const name = 'playctl-quiet'

/** Whether screen readers get nothing of what happens. */
export const quiet = signal(keptAs(name) === 'on')

/** Says whether they do; the browser keeps it. */
export function setQuiet(on: boolean): void {
  quiet.value = on
  keep(name, on ? 'on' : 'off')
}
