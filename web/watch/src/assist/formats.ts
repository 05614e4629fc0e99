/** A format of texts in JSON Schema: what a person enters, and the check before it is sent. */
interface Format {
  readonly example: string
  readonly fits: (text: string) => boolean
}

const matching = (pattern: RegExp) => (text: string): boolean => pattern.test(text)

/** The formats that are checked. A text of any other format is sent as it is. */
export const formats: Readonly<Record<string, Format>> = {
  'date': { example: '2026-05-06', fits: isDate },
  'time': { example: '19:30:00+02:00', fits: matching(/^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/iu) },
  'email': { example: 'name@example.com', fits: matching(/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/u) },
  'uri': { example: 'https://example.com/', fits: (text) => /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/iu.test(text) && URL.canParse(text) },
  'uuid': { example: '123e4567-e89b-12d3-a456-426614174000', fits: matching(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu) },
  'ipv4': { example: '192.0.2.1', fits: matching(/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/u) },
  'hostname': { example: 'example.com', fits: matching(/^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/iu) },
  'duration': { example: 'PT1H30M', fits: matching(/^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/u) },
}

function isDate(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/u.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(NaN)
  // A day that a month does not have becomes one of the next month.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

/** Returns a time of a browser's field as in RFC 3339, with seconds and with the offset of this browser's zone. */
export function wholeTimeOf(text: string): string {
  const [, time, seconds] = /^(\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/u.exec(text) ?? []
  if (time === undefined) return text
  const minutes = -new Date().getTimezoneOffset()
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${time}${seconds ?? ':00'}${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`
}

/** The longest pattern and text that are compared. */
const mostChars = 1000

/**
 * Reports whether a text matches a pattern. One that may take very long, with a repeated group or a reference
 * to a group, is left to the agent, as is one that is not valid: patterns come from agents.
 */
export function matches(text: string, pattern: string): boolean {
  if (pattern.length + text.length > mostChars || /\)[*+{?]|\\[1-9k]|\(\?[<!=]/u.test(pattern)) return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}
