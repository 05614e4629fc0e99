/**
 * What goes into the town and what comes out of it: the rows of a world as the
 * protocol has them (section 5), as far as the town draws them, and the options
 * of a {@link Town}. The interfaces are structural: the client's rows fit as
 * they are.
 */

/** The inclusive limits of a map, in cells. */
export interface TownBounds {
  readonly minX: number
  readonly minY: number
  readonly maxX: number
  readonly maxY: number
}

/** One step of a journey (section 7). */
export interface TownStep {
  readonly type: 'origin' | 'structure' | 'destination'
  /** What was asked or answered, of an origin or a destination. */
  readonly content?: string
  /** The tool used, of a structure. */
  readonly toolName?: string
}

/** A step with its place on the map, in cells. */
export interface TownPathStep extends TownStep {
  readonly x: number
  readonly y: number
  readonly structureId?: string
}

/** An agent's row. */
export interface TownAgent {
  readonly kind: 'agent'
  readonly nodeId: string
  readonly agentId: string
  readonly name: string
  readonly x: number
  readonly y: number
  readonly platform?: string
  readonly flagged?: boolean
  readonly lastUpdate?: { readonly path: readonly TownPathStep[] }
}

/** The row of an MCP placement. */
export interface TownMcp {
  readonly kind: 'mcp'
  readonly id: string
  readonly name: string
  readonly url?: string
  readonly x: number
  readonly y: number
}

/** A person's row. */
export interface TownHuman {
  readonly kind: 'human'
  readonly id: string
  readonly name: string
  readonly x: number
  readonly y: number
}

/** The row of a structure, which holds one or more spaces. */
export interface TownStructure {
  readonly kind: 'structure'
  readonly id: string
  readonly name: string
  readonly x: number
  readonly y: number
  readonly spaceIds?: readonly string[]
  readonly primaryAmenity?: string
  readonly amenities?: readonly string[]
}

/** A row on the map. */
export type TownOccupant = TownAgent | TownMcp | TownHuman | TownStructure

/** The part of a snapshot that the town shows. */
export interface TownWorld {
  /** The session; where it is another than before, the town begins anew. */
  readonly sid: string
  readonly bounds: TownBounds
  readonly occupants: readonly TownOccupant[]
}

/** Who speaks in a line: `user` is a line to the agent, `tool` what a tool says. */
export type TownRole = 'user' | 'assistant' | 'tool'

/** Something said by or to an agent. */
export interface TownLine {
  /** The agent's id, or the stable key of any occupant. */
  readonly playerId: string
  readonly role: TownRole
  readonly text: string
}

/** A journey that was recorded just now. */
export interface TownJourney {
  readonly playerId: string
  readonly path: readonly TownPathStep[]
}

/** A signal of an agent; kinds that the town has no sign for show nothing. */
export interface TownSignal {
  readonly playerId: string
  readonly kind: string
}

/** Every word that the town writes or says, so that it can be translated. */
export interface TownText {
  /** The accessible name of the map. */
  readonly mapLabel: string
  /** What kind of thing the map is, for a screen reader: "town map". */
  readonly mapRole: string
  /** The accessible name of the overview, a button that leads back to where people are. */
  readonly overviewLabel: string
  /** How the overview is used. */
  readonly overviewHow: string
  /** An occupant in one sentence, for a screen reader. */
  readonly describe: (occupant: TownOccupant) => string
  /** What stands below the name of the reader's own figure: "you". */
  readonly you: string
  /** A step in a few words, and its place in its journey, counted from 0: '2. search', '3. Arrived: …'. */
  readonly step: (step: TownStep, place: number) => string
}

/** The light and the dark palette. */
export type TownTheme = 'light' | 'dark'

/** Space at the edges of the canvas that panels cover, in CSS pixels. */
export interface TownInsets {
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly left: number
}

/** What a {@link Town} needs, and its callbacks. */
export interface TownOptions {
  readonly text: TownText
  readonly theme: TownTheme
  /** No walking and no fading: states switch. */
  readonly reducedMotion: boolean
  /** For a screen on a wall, which is looked at from afar and which nobody steers: larger letters, a slow camera, and nobody to select. */
  readonly wall?: boolean
  /** The camera keeps the town clear of these; none if absent. */
  readonly insets?: TownInsets
  /** The person picked an occupant (its stable key) or nobody, on the map. */
  readonly onSelect?: (key: string | null) => void
  /** The person moved the camera away from the one that it kept to. */
  readonly onLeave?: () => void
  /** The person picked what an occupant says. */
  readonly onRead?: (key: string) => void
  /** The pointer rests on an occupant, or on none. */
  readonly onHover?: (key: string | null) => void
  /** Something to be read out, such as who the keyboard stands at. */
  readonly onAnnounce?: (sentence: string) => void
  /** The walker of an agent reached a step of its journey, counted from 0; null when it is home. */
  readonly onStep?: (key: string, step: number | null) => void
  /**
   * Adds a `performance.measure` named {@link FRAME_MEASURE} for every frame,
   * for a test that reads them. They are kept by the browser, so this is off
   * in use.
   */
  readonly measure?: boolean
}

/** The name of a frame's entry in the browser's performance timeline. */
export const FRAME_MEASURE = 'playctl:town-frame'

/** The stable key of a row (section 9). */
export function stableKey(row: TownOccupant): string {
  return row.kind === 'agent' ? `agent:${row.nodeId}:${row.agentId}` : `${row.kind}:${row.id}`
}
