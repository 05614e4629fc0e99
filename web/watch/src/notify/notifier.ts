import { signal } from '@preact/signals'
import { keep, keptAs } from '../app/kept.js'
import { called } from '../app/names.js'
import { clamp, type Entry } from '../feed/entry.js'
import { needsPerson } from '../feed/filter.js'
import { sentenceOf } from '../feed/sentence.js'
import { text, type TextKey } from '../text/text.js'
import type { WorldStore } from '../world/store.js'

/** A wish for notifications: of an agent's own actions, of lines with a word, or of all agents that wait for a person or failed. */
export type Wish =
  | { readonly kind: 'agent', readonly key: string, readonly name: string }
  | { readonly kind: 'word', readonly word: string }
  | { readonly kind: 'needs' }

/** The greatest number of wishes, stored in this browser only, and the greatest length of a word in characters. */
export const mostWishes = 20
export const longestWord = 60
const place = 'playctl-notify'
/** The least time between notifications of one wish, in milliseconds: a talkative agent must not flood the screen. */
const pause = 5000

const own: ReadonlySet<TextKey> = new Set(['event.said.assistant', 'event.journey', 'event.intercom.completed'])

/** Parses stored wishes; invalid ones are ignored. */
export function readWishes(kept: string | null): readonly Wish[] {
  try {
    const list: unknown = JSON.parse(kept ?? '[]')
    return Array.isArray(list) ? list.flatMap(wishOf).slice(0, mostWishes) : []
  } catch {
    return []
  }
}

function wishOf(value: unknown): Wish[] {
  if (typeof value !== 'object' || value === null) return []
  const { kind, key, name, word } = value as Partial<Record<string, unknown>>
  if (kind === 'agent' && typeof key === 'string' && typeof name === 'string') return [{ kind, key: clamp(key, 300), name: clamp(name, 200) }]
  if (kind === 'needs') return [{ kind }]
  return kind === 'word' && typeof word === 'string' && word.trim() !== '' ? [{ kind, word: clamp(word, longestWord) }] : []
}

/** Reports whether an entry fulfills a wish. */
export function fulfills(entry: Pick<Entry, 'key' | 'group' | 'sentence' | 'text' | 'renews'>, wish: Wish): boolean {
  const { key, group, sentence, text: words } = entry
  const needs = needsPerson(entry) && entry.renews !== true
  switch (wish.kind) {
    case 'agent': return key === wish.key && (needs || own.has(sentence))
    case 'word': return group === 'speech' && words.toLocaleLowerCase().includes(wish.word.toLocaleLowerCase())
    case 'needs': return needs
  }
}

const named = (wish: Wish): string => wish.kind === 'agent' ? `agent ${wish.key}` : wish.kind === 'word' ? `word ${wish.word}` : wish.kind

/** Sends browser notifications for the wishes stored in this browser. */
export class Notifier {
  readonly wishes = signal(readWishes(keptAs(place)))
  /** The browser's permission: it is requested with the first wish, never before. */
  readonly allowed = signal(permission())
  /** Whether notifications fail although they are allowed: some browsers support them only for background workers. */
  #unable = false
  readonly #last = new Map<string, number>()

  constructor(private readonly store: WorldStore) {}

  /** Sends notifications from now on; returns a function that ends that. */
  listen(): () => void {
    return this.store.listen((event, entry) => { if (!event.past) this.#take(entry) })
  }

  has(key: string): boolean { return this.wishes.value.some((wish) => wish.kind === 'agent' && wish.key === key) }

  /** Adds a wish, and requests the browser's permission. To be called on a click. */
  async add(wish: Wish): Promise<void> {
    this.#keep([...this.wishes.value.filter((other) => named(other) !== named(wish)), wish].slice(-mostWishes))
    if (permission() === 'default') await Notification.requestPermission()
    this.allowed.value = this.#unable ? 'denied' : permission()
  }

  remove(wish: Wish): void { this.#keep(this.wishes.value.filter((other) => named(other) !== named(wish))) }

  #keep(wishes: readonly Wish[]): void {
    this.wishes.value = wishes
    keep(place, JSON.stringify(wishes))
  }

  #take(entry: Entry): void {
    if (permission() !== 'granted' || this.#unable) return
    const wish = this.wishes.peek().find((one) => fulfills(entry, one))
    if (wish === undefined) return
    // What an agent said just before must not hide that it waits.
    const [name, now] = [needsPerson(entry) ? `needs ${entry.key}` : named(wish), Date.now()]
    if (now - (this.#last.get(name) ?? -Infinity) < pause) return
    this.#last.set(name, now)
    const shown = this.#shown(sentenceOf(entry), { body: clamp(entry.text, 200), tag: name })
    if (shown === undefined) return
    shown.onclick = () => {
      window.focus()
      if (entry.group === 'activity') this.store.select(entry.key)
      else this.store.read.value = entry
      shown.close()
    }
  }

  #shown(sentence: string, options: NotificationOptions): Notification | undefined {
    try {
      return new Notification(sentence, options)
    } catch {
      this.#unable = true
      this.allowed.value = 'denied'
      return undefined
    }
  }
}

/** Returns the browser's permission; without notifications or TLS, it is denied. */
function permission(): NotificationPermission {
  return 'Notification' in window && isSecureContext ? Notification.permission : 'denied'
}

/** Returns the name of a wish in a list. */
export function wishName(wish: Wish): string {
  return wish.kind === 'agent' ? called(wish.name) : wish.kind === 'word' ? text('notify.wordOf', { word: wish.word }) : text('notify.needs')
}
