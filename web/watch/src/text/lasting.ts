/** The units of a duration, from the longest, in milliseconds. */
const units = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000], ['second', 1000]] as const

/** How often shown durations are renewed, in milliseconds; less than a minute is shown in steps of it. */
export const renewed = 5000

/** Returns a function that formats a duration in its longest unit, as in "2m". */
export function lastingIn(locale: string): (milliseconds: number) => string {
  // Only English has narrow units that people know.
  const unitDisplay = locale.startsWith('en') ? 'narrow' : 'short'
  const formats = units.map(([unit, length]) => [new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay }), length] as const)
  return (milliseconds) => {
    const [format, length] = formats.find(([, one]) => milliseconds >= one) ?? formats[formats.length - 1] ?? []
    const step = length === 1000 ? renewed : length ?? 1
    return format?.format(Math.floor(Math.max(milliseconds, 0) / step) * step / (length ?? 1)) ?? ''
  }
}
