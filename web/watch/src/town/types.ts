/**
 * The input and output of the town: the rows of a world as in the protocol
 * (section 5), as far as the town draws them, and the options of a
 * {@link Town}. The interfaces are structural: the client's rows can be passed
 * unchanged.
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
  /** The question or the answer, of an origin or a destination. */
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

/** What an agent is doing: `waiting` is for a person. */
export type TownState = 'working' | 'waiting' | 'idle' | 'done' | 'failed'

/** What an agent does now. */
export interface TownActivity {
  readonly state: TownState
  readonly text?: string
  readonly toolName?: string
  /** When the state began. */
  readonly since: string
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
  readonly activity?: TownActivity
  readonly parentId?: string
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
  /** The session; if it changes, the town starts again. */
  readonly sid: string
  readonly bounds: TownBounds
  readonly occupants: readonly TownOccupant[]
  /** The shown moment of the past, in milliseconds since 1970; undefined shows the present. */
  readonly at?: number | undefined
}

/** The role of a line: `user` is a line to the agent, `tool` the output of a tool. */
export type TownRole = 'user' | 'assistant' | 'tool'

/** A line by or to an agent. */
export interface TownLine {
  /** The agent's id, or the stable key of any occupant. */
  readonly playerId: string
  readonly role: TownRole
  readonly text: string
}

/** A journey that was just recorded. */
export interface TownJourney {
  readonly playerId: string
  readonly path: readonly TownPathStep[]
}

/** A signal of an agent; a kind without a sign in the town shows nothing. */
export interface TownSignal {
  readonly playerId: string
  readonly kind: string
}

/** Every text that the town draws or announces, for translation. */
export interface TownText {
  /** The accessible name of the map. */
  readonly mapLabel: string
  /** The role of the map for a screen reader: "town map". */
  readonly mapRole: string
  /** The accessible name of the overview, a button that leads back to where people are. */
  readonly overviewLabel: string
  /** How to use the overview. */
  readonly overviewHow: string
  /** An occupant in one sentence, for a screen reader. */
  readonly describe: (occupant: TownOccupant) => string
  /** The text below the name of the reader's own figure: "you". */
  readonly you: string
  /** What an agent does and how long its state has lasted, for the line below its name; empty if it is not known. */
  readonly doing: (agent: TownAgent, at: number) => string
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
  /** No walking and no fading: changes are immediate. */
  readonly reducedMotion: boolean
  /** For a wall screen, which is viewed from a distance and has no controls: larger letters, a slow camera, and no selection. */
  readonly wall?: boolean
  /** The camera keeps the town away from these; none if absent. */
  readonly insets?: TownInsets
  /** The person picked an occupant (its stable key) or nobody, on the map. */
  readonly onSelect?: (key: string | null) => void
  /** The person moved the camera away from the occupant that it followed. */
  readonly onLeave?: () => void
  /** The person picked the bubble of an occupant. */
  readonly onRead?: (key: string) => void
  /** The pointer is on an occupant, or on none. */
  readonly onHover?: (key: string | null) => void
  /** A sentence to be read out, such as the description of the focused occupant. */
  readonly onAnnounce?: (sentence: string) => void
  /** The walker of an agent reached a step of its journey, counted from 0; null when it is home. */
  readonly onStep?: (key: string, step: number | null) => void
}

/** Returns the stable key of a row (section 9). */
export function stableKey(row: TownOccupant): string {
  return row.kind === 'agent' ? `agent:${row.nodeId}:${row.agentId}` : `${row.kind}:${row.id}`
}
