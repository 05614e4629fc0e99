/** Numbers of a measurement, and how they are reported. */

/** Prints one result. */
export function report(what: string, value: string): void {
  process.stdout.write(`${what}: ${value}\n`)
}

/** The value at a quantile. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

/** Their spread, in milliseconds. */
export function spread(values: readonly number[]): string {
  const at = (part: number): string => quantile(values, part).toFixed(2)
  return `median ${at(0.5)} ms, 95th ${at(0.95)} ms, 99th ${at(0.99)} ms, longest ${at(1)} ms`
}
