import { randomText } from '@playctl/sdk'
import { keep, keptAs } from '../app/kept.js'
import type { Reader } from '../tabs/fetch.js'

/** The source of a cookie that no link was used for. */
const free = 'free'

/**
 * Notes, for all tabs of this browser, which cookie they have for a host: its source, when it expires, and a number. Pages
 * cannot read the cookie itself, and the host sends the answer to a question only to the cookie that asked it.
 */
export class CookieNote implements Reader {
  readonly #place: string

  /** @param world The address and the service of the host. */
  constructor(world: string) {
    this.#place = `playctl-cookie ${world}`
  }

  get name(): string { return keptAs(this.#place) ?? '' }

  /** Calls a function when another tab got another cookie from the same source. A tab with one from elsewhere keeps its stream until it sends something itself. */
  listen(changed: () => void): void {
    addEventListener('storage', ({ key, oldValue, newValue }) => {
      if (key === this.#place && sourceOf(oldValue) === sourceOf(newValue)) changed()
    })
  }

  /** Reports whether the cookie came from this source and, if the time is given, expires then. */
  is(source: string, expiresAt = ''): boolean { return this.name.startsWith(`${source} ${expiresAt}`) }

  /** Notes a new cookie. */
  note(source: string, expiresAt: string): void { keep(this.#place, `${source} ${expiresAt} ${randomText()}`) }

  /** Notes a cookie that the host gave without a link: a new one, unless it expires when the one before does. */
  see(expiresAt: string): void {
    if (!this.name.includes(` ${expiresAt} `)) this.note(free, expiresAt)
  }
}

const sourceOf = (noted: string | null): string => (noted ?? '').split(' ', 1)[0] ?? ''
