import { signal } from '@preact/signals'
import { renewed } from '../text/lasting.js'

let timer: ReturnType<typeof setInterval> | undefined

/** The time in milliseconds since 1970, renewed every few seconds while something shows how long it lasts. */
export const clock = signal(Date.now(), {
  watched() {
    this.value = Date.now()
    timer = setInterval(() => { this.value = Date.now() }, renewed)
  },
  unwatched() { clearInterval(timer) },
})
