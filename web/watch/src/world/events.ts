import { isObject, stringOf, type JsonObject } from './json.js'

/** One event of the host's stream. */
export interface WorldEvent {
  /** Its place in the host's log; undefined on hosts that number no events. */
  readonly seq: number | undefined
  readonly kind: string
  readonly data: JsonObject
  /** When it happened, in milliseconds since 1970, or came where it says no time. */
  readonly at: number
  /** It happened before this page was opened. */
  readonly past: boolean
}

/** Reads the time that an event carries, in milliseconds; undefined where it carries none. */
export function timeOf(data: JsonObject): number | undefined {
  const notify = isObject(data.playerChainNotify) ? data.playerChainNotify : {}
  for (const text of [data.at, data.ts, notify.updatedAt]) {
    const time = Date.parse(stringOf(text))
    if (!Number.isNaN(time)) {
      return time
    }
  }
  return undefined
}
