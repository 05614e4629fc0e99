import { language, text } from './text.js'

const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
const whole = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'long' })

/** A time of day. */
export function clockTime(at: number): string {
  return clock.format(at)
}

/** A day and a time. */
export function wholeTime(at: number): string {
  return whole.format(at)
}

/** How long ago something was. */
export function ago(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000)
  if (seconds < 5) {
    return text('time.now')
  }
  if (seconds < 60) {
    return relative.format(-seconds, 'second')
  }
  return seconds < 3600 ? relative.format(-Math.round(seconds / 60), 'minute') : relative.format(-Math.round(seconds / 3600), 'hour')
}

/** A length of time in seconds, as the language writes it. */
export function took(milliseconds: number): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'second', maximumFractionDigits: 1 }).format(milliseconds / 1000)
}
