import { asObject, asText, member } from '../json/read.js'
import { type EventFields, type EventKind, type JsonObject, eventShapes } from './contract.js'
import { readShape } from './read.js'

/** One of some names, which an editor completes, or another text that a newer host sends. */
export type NamedOr<Name extends string> = Name | (string & Record<never, never>)

/** An event of the stream. */
export interface WorldEvent<K extends string = NamedOr<EventKind>> {
  /** Its position in the host's log; absent on hosts that number no events. */
  readonly seq?: number
  /** Its name, mostly an `EventKind`; a newer host may send others. */
  readonly kind: K
  /**
   * Its JSON, besides the own fields also `rev`, `merkleRootHex`,
   * `merkleLeafCount`, `playerChainNotify` and, where asked for,
   * `playerChainNodes`. Checked to be an object, no more: use `isEvent` or `readEvent`.
   */
  readonly data: JsonObject
}

/** An event of a kind that is known, with its own fields alone. */
export type KnownEvent = { [K in EventKind]: { readonly kind: K; readonly data: EventFields[K] } }[EventKind]

/**
 * Reports whether an event is of a kind and gives its data that type. The data is
 * as the host sent it: a page that shows it to people should still expect a
 * field of the wrong type from a host that it does not trust, or use `readEvent`.
 */
export function isEvent<K extends EventKind>(
  event: WorldEvent,
  kind: K,
): event is WorldEvent<K> & { readonly data: EventFields[K] & JsonObject } {
  return event.kind === kind
}

/**
 * Reads the own fields of an event: each has its type, whatever the host sent, though a text may
 * be one that a newer host knows. Undefined for an event of a kind that is not known.
 */
export function readEvent({ kind, data }: WorldEvent): KnownEvent | undefined {
  if (!Object.hasOwn(eventShapes, kind)) return undefined
  return { kind, data: readShape(eventShapes[kind as EventKind], data) } as unknown as KnownEvent
}

/** When an event happened, in milliseconds since 1970; undefined if it does not say. */
export function eventTime({ data }: WorldEvent): number | undefined {
  for (const text of [data.at, data.ts, member(asObject(data.playerChainNotify), 'updatedAt')]) {
    const time = Date.parse(asText(text) ?? '')
    if (!Number.isNaN(time)) return time
  }
  return undefined
}
