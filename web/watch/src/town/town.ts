import type {
  TownInsets, TownJourney, TownLine, TownOptions, TownSignal, TownTheme, TownWorld,
} from './types.js'
import { FrameStatistics } from './frames.js'

export * from './types.js'

/**
 * The town: a live picture of a world on a canvas that fills its host element.
 *
 * It draws only while something moves. What it keeps is bounded: bubbles,
 * trails and cached pictures of those that are not seen any more go away. Every
 * call is cheap and may come at any time, many in one frame too.
 *
 * A screen reader cannot see into a canvas: the page lists the occupants as
 * well, and reads out what `onAnnounce` says.
 */
export class Town {
  /** How long frames took, for measurements. */
  readonly frames: FrameStatistics
  /** The focusable element; arrows move between occupants, Enter selects, + and - zoom, 0 fits. */
  readonly canvas: HTMLCanvasElement

  constructor(host: HTMLElement, options: TownOptions) {
    this.frames = new FrameStatistics(options.measure ?? false)
    this.canvas = document.createElement('canvas')
    this.canvas.setAttribute('role', 'application')
    this.canvas.setAttribute('aria-roledescription', options.text.mapRole)
    this.canvas.setAttribute('aria-label', options.text.mapLabel)
    this.canvas.tabIndex = 0
    host.append(this.canvas)
  }

  /** Shows a state of the world from now on: who is new arrives, who is missing leaves. */
  setWorld(_world: TownWorld): void {}

  /** Shows a line above the one it belongs to; of an unknown one, nothing. */
  say(_line: TownLine): void {}

  /** Lets an agent walk a journey, along a trail that stays for a while. */
  journey(_journey: TownJourney): void {}

  /** Shows the sign of a signal above an agent. */
  signal(_signal: TownSignal): void {}

  /** Selects an occupant by its stable key, or nobody; does not call `onSelect`. */
  select(_key: string | null): void {}

  /** Selects an occupant and brings it into view. */
  focus(_key: string): void {}

  /** Shows the whole town. */
  fit(): void {}

  /** Zooms by a factor about the middle of the view. */
  zoomBy(_factor: number): void {}

  /**
   * Shows the last journey of an agent: from a step on it is walked, at
   * `hold` the walker goes to the step and stays until {@link stopJourney}.
   */
  playJourney(_key: string, _step = 0, _hold = false): void {}

  /** Sends the walker of an agent home. */
  stopJourney(_key: string): void {}

  /** Changes the palette. */
  setTheme(_theme: TownTheme): void {}

  /** Turns walking and fading off or on. */
  setReducedMotion(_reduced: boolean): void {}

  /** Says which edges of the canvas panels cover now. */
  setInsets(_insets: TownInsets): void {}

  /** Ends everything and takes the canvas away. The town is of no use after it. */
  destroy(): void {
    this.canvas.remove()
  }
}
