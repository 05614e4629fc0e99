import { FRAME_MEASURE } from './types.js'

/** The number of frames whose times are kept. */
const KEPT = 600

/**
 * The script time of the last frames, in milliseconds: the time of the town itself
 * in each frame, without the browser's own work.
 */
export class FrameStatistics {
  /** Frames drawn since the start. */
  drawn = 0
  readonly #times = new Float64Array(KEPT)
  readonly #measure: boolean

  constructor(measure: boolean) {
    this.#measure = measure
  }

  /** Adds a frame that started at a time of `performance.now()` and ends now. */
  add(start: number): void {
    const end = performance.now()
    this.#times[this.drawn % KEPT] = end - start
    this.drawn += 1
    if (this.#measure) performance.measure(FRAME_MEASURE, { start, end })
  }

  /** Returns the time within which a share (0 to 1) of the kept frames was drawn; 0 without frames. */
  quantile(share: number): number {
    const kept = this.#times.slice(0, Math.min(this.drawn, KEPT)).sort()
    if (kept.length === 0) return 0
    return kept[Math.min(kept.length - 1, Math.floor(share * kept.length))] ?? 0
  }
}
