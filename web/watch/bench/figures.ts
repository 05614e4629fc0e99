/** Numbers of a measurement, and how they are reported. */

/** Says one result, where a person who runs this sees it. */
export function tell(what: string, value: string): void {
  process.stdout.write(`${what}: ${value}\n`)
}

/** The value below which a part of all of them lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

/** Their spread, in milliseconds. */
export function spread(values: readonly number[]): string {
  const at = (part: number): string => quantile(values, part).toFixed(2)
  return `median ${at(0.5)} ms, 95th ${at(0.95)} ms, 99th ${at(0.99)} ms, longest ${at(1)} ms`
}
