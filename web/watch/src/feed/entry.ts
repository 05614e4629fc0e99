import type { TextKey } from '../text/text.js'

/** The kinds that happenings are filtered by. */
export const groups = ['speech', 'journey', 'presence', 'place', 'signal', 'intercom', 'session'] as const
export type Group = (typeof groups)[number]

/** One happening, as small as it can be shown: thousands of them are kept. */
export interface Entry {
  /** Counts the happenings that this page has seen; never twice the same. */
  readonly serial: number
  readonly seq: number | undefined
  /** The event's name in the protocol. */
  readonly event: string
  readonly group: Group
  /** Milliseconds since 1970. */
  readonly at: number
  /** The stable key of its subject; empty if it is about the whole world. */
  readonly key: string
  /** What they were called when it happened; empty if it is about the whole world. */
  readonly name: string
  /** The id of its subject, where the name is the one of now: an event further back may have the one of then. */
  readonly unsure?: string
  /** The sentence, and what goes into its gaps besides {who}. */
  readonly sentence: TextKey
  readonly values: Readonly<Record<string, string | number>>
  /** What was said, with no more than textLimit characters; empty if nothing. */
  readonly text: string
  /** The request whose answer it is a part of; the parts of one are one happening. */
  readonly request?: string
}

/** So much of a text is kept with a happening. */
export const textLimit = 400

/** Shortens a text to a limit, without cutting a character in two. */
export function clamp(text: string, limit: number): string {
  if (text.length <= limit) {
    return text
  }
  const cut = text.slice(0, limit)
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}
