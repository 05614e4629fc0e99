import type { TextKey } from '../text/text.js'

/** The groups that entries are filtered by. */
export const groups = ['speech', 'activity', 'journey', 'presence', 'place', 'signal', 'intercom', 'session'] as const
export type Group = (typeof groups)[number]

/** One entry of the feed, as small as possible: thousands of them are kept. */
export interface Entry {
  /** The number of the entry on this page, which is unique. */
  readonly serial: number
  readonly seq: number | undefined
  /** The event's name in the protocol. */
  readonly event: string
  readonly group: Group
  /** Milliseconds since 1970. */
  readonly at: number
  /** The stable key of its subject; empty if it is about the whole world. */
  readonly key: string
  /** The name of its subject at the time; empty if it is about the whole world. */
  readonly name: string
  /** The id of its subject, if the name is the current one: an earlier event may supply the name of that time. */
  readonly unsure?: string
  /** The sentence, and its values besides {who}. */
  readonly sentence: TextKey
  readonly values: Readonly<Record<string, string | number>>
  /** The spoken text, with no more than textLimit characters; empty if there is none. */
  readonly text: string
  /** Whether it only renews what an agent does in a state that began earlier. */
  readonly renews?: boolean
  /** The request that it is a partial answer to, or the state that it is about; the parts of one answer are one entry, and so is all that happens in one state. */
  readonly request?: string
}

/** The greatest length of a text in an entry. */
export const textLimit = 400

/** Shortens a text to a limit, without splitting a character. */
export function clamp(text: string, limit: number): string {
  if (text.length <= limit) {
    return text
  }
  const cut = text.slice(0, limit)
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}
