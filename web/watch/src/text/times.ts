import { lastingIn } from './lasting.js'
import { perLocale, text } from './text.js'

const clock = perLocale((locale) => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }))
const whole = perLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }))
const minutes = perLocale((locale) => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }))
const days = perLocale((locale) => new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' }))
const relative = perLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' }))
const durations = perLocale(lastingIn)
const seconds = perLocale((locale) => new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', maximumFractionDigits: 1 }))

/** Formats a time of day. */
export function clockTime(at: number): string {
  return clock().format(at)
}

/** Formats a time of day in hours and minutes, for a wall screen. */
export function wallTime(at: number): string {
  return minutes().format(at)
}

/** Formats a day, with the day of the week. */
export function dayOf(at: number): string {
  return days().format(at)
}

/** Formats a day and a time. */
export function wholeTime(at: number): string {
  return whole().format(at)
}

/** Formats how long ago a time was. */
export function ago(at: number, now: number): string {
  const past = Math.round((now - at) / 1000)
  if (past < 5) {
    return text('time.now')
  }
  if (past < 60) {
    return relative().format(-past, 'second')
  }
  return past < 3600 ? relative().format(-Math.round(past / 60), 'minute') : relative().format(-Math.round(past / 3600), 'hour')
}

/** Formats a duration in seconds. */
export function took(milliseconds: number): string {
  return seconds().format(milliseconds / 1000)
}

/** Formats how long something has lasted, in one short unit. */
export function lasting(milliseconds: number): string {
  return durations()(milliseconds)
}
