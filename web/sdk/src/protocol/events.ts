import { asObject, asText, member } from '../json/read.js'
import { type EventFields, type EventKind, type Json, type JsonObject, eventShapes, subjectPaths } from './contract.js'
import { readShape } from './read.js'

/** One of a set of names, which an editor completes, or another text that a newer host sends. */
export type NamedOr<Name extends string> = Name | (string & Record<never, never>)

/** An event of the stream. */
export interface WorldEvent<K extends string = NamedOr<EventKind>> {
  /** Its position in the host's log; absent on hosts that number no events. */
  readonly seq?: number
  /** Its name, usually an `EventKind`; a newer host may send others. */
  readonly kind: K
  /**
   * Its JSON: the event's own fields, `rev`, `merkleRootHex`, `merkleLeafCount`,
   * `playerChainNotify` and, if requested, `playerChainNodes`. It is only checked to be
   * an object: use `isEvent` or `readEvent`.
   */
  readonly data: JsonObject
}

/** An event of a known kind, with only its own fields. */
export type KnownEvent = { [K in EventKind]: { readonly kind: K; readonly data: EventFields[K] } }[EventKind]

/**
 * Reports whether an event is of a kind, and narrows the type of its data. The data is
 * not checked: a page that shows it to people should still expect a field of the
 * wrong type from a host that it does not trust, or use `readEvent`.
 */
export function isEvent<K extends EventKind>(
  event: WorldEvent,
  kind: K,
): event is WorldEvent<K> & { readonly data: EventFields[K] & JsonObject } {
  return event.kind === kind
}

/**
 * Reads an event's own fields: each has its type, whatever the host sent, although a text may
 * be one that only a newer host knows. Undefined for an event of an unknown kind.
 */
export function readEvent({ kind, data }: WorldEvent): KnownEvent | undefined {
  if (!Object.hasOwn(eventShapes, kind)) return undefined
  return { kind, data: readShape(eventShapes[kind as EventKind], data) } as unknown as KnownEvent
}

/** Returns the time of an event, in milliseconds since 1970; undefined if it states none. */
export function eventTime({ data }: WorldEvent): number | undefined {
  for (const text of [data.at, data.ts, member(asObject(data.playerChainNotify), 'updatedAt')]) {
    const time = Date.parse(asText(text) ?? '')
    if (!Number.isNaN(time)) return time
  }
  return undefined
}

/** Returns the id of an event's subject; empty if the event is about the world. */
export function eventSubject({ data }: WorldEvent): string {
  for (const path of subjectPaths) {
    const id = asText(path.split('.').reduce<Json | undefined>((value, name) => member(asObject(value), name), data))
    if (id !== undefined && id !== '') return id
  }
  return ''
}
