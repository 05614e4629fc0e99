import { signal } from '@preact/signals'
import { keep, keptAs } from '../app/kept.js'
import { called } from '../app/names.js'
import { clamp, type Entry } from '../feed/entry.js'
import { parts, text, type TextKey } from '../text/text.js'
import type { WorldStore } from '../world/store.js'

/** What somebody wants to be notified of: what an agent does itself, or lines with a word. */
export type Wish =
  | { readonly kind: 'agent', readonly key: string, readonly name: string }
  | { readonly kind: 'word', readonly word: string }

/** So many wishes are kept, in this browser only, and a word has so many characters at most. */
export const mostWishes = 20
export const longestWord = 60
const place = 'playctl-notify'
/** Milliseconds in which one wish notifies once: an agent that talks much must not bury a screen. */
const pause = 5000

const own: ReadonlySet<TextKey> = new Set(['event.said.assistant', 'event.journey', 'event.intercom.completed'])

/** Reads what was kept; what cannot be read counts as nothing. */
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
  return kind === 'word' && typeof word === 'string' && word.trim() !== '' ? [{ kind, word: clamp(word, longestWord) }] : []
}

/** Reports whether a happening is what somebody wishes for. */
export function fulfills({ key, group, sentence, text: words }: Pick<Entry, 'key' | 'group' | 'sentence' | 'text'>, wish: Wish): boolean {
  return wish.kind === 'agent'
    ? key === wish.key && own.has(sentence)
    : group === 'speech' && words.toLocaleLowerCase().includes(wish.word.toLocaleLowerCase())
}

const named = (wish: Wish): string => wish.kind === 'agent' ? `agent ${wish.key}` : `word ${wish.word}`

/** Notifies by the browser, of what this browser was asked to. */
export class Notifier {
  readonly wishes = signal(readWishes(keptAs(place)))
  /** Whether the browser notifies: it is asked when somebody wishes for something, never before. */
  readonly allowed = signal(permission())
  /** Whether the browser does not notify though it is allowed: some do so only for what works in the background. */
  #unable = false
  readonly #last = new Map<string, number>()

  constructor(private readonly store: WorldStore) {}

  /** Notifies of what happens from now on; returns what ends that. */
  listen(): () => void {
    return this.store.listen((event, entry) => { if (!event.past) this.#take(entry) })
  }

  has(key: string): boolean { return this.wishes.value.some((wish) => wish.kind === 'agent' && wish.key === key) }

  /** Adds a wish, and asks the browser whether it may be fulfilled. To be called by a click. */
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
    const [name, now] = [named(wish), Date.now()]
    if (now - (this.#last.get(name) ?? -Infinity) < pause) return
    this.#last.set(name, now)
    const shown = this.#shown(sentenceOf(entry), { body: clamp(entry.text, 200), tag: name })
    if (shown === undefined) return
    shown.onclick = () => {
      window.focus()
      this.store.read.value = entry
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

/** A happening in one sentence. */
function sentenceOf({ sentence, values, name }: Entry): string {
  const given: Readonly<Record<string, string | number>> = { ...values, who: called(name) }
  return parts(sentence, values.count).map((part) => typeof part === 'string' ? part : String(given[part.name] ?? '')).join('')
}

/** What the browser says; one without notifications, or a page without TLS, has them denied. */
function permission(): NotificationPermission {
  return 'Notification' in window && isSecureContext ? Notification.permission : 'denied'
}

/** What a wish is called in a list. */
export function wishName(wish: Wish): string {
  return wish.kind === 'agent' ? called(wish.name) : text('notify.wordOf', { word: wish.word })
}
