import type { Verification, WorldSnapshot } from '@playctl/sdk'
import { slowAfter } from '../app/slow.js'
import { play, townText, watchMedia } from '../app/playing.js'
import { chooseLanguage } from '../text/choice.js'
import { mapWords, type MapWords } from '../text/map.js'
import { teller, type Teller } from '../text/teller.js'
import { Town, type TownText } from '../town/town.js'
import { occupantThing } from '../world/things.js'
import { follow, type TownState } from './live.js'
import { style } from './style.js'

type MapKey = keyof MapWords<'en'>

const states = {
  connecting: 'status.connecting', live: 'status.live', reconnecting: 'status.reconnecting', refused: 'refused.frameWhy', ended: 'refused.frameExpiredWhy',
} as const satisfies Readonly<Record<TownState, MapKey>>
const verifications = {
  'verified': 'status.verified', 'catching-up': 'status.catchingUp', 'mismatch': 'status.notVerified', 'unverifiable': 'status.unverifiable', 'unread': 'status.unread',
} as const satisfies Readonly<Record<Verification, MapKey>>

/**
 * `<playctl-town>`: the live map of a world in a page of another origin, read-only. Attributes: `host`, the
 * host's address, by default that of the script; `token`, a pass to watch if watching is not free; `name`, the map's name for
 * screen readers; `lang`; `theme`, light or dark. It sends `playctl-state` when its state changes and `playctl-select` when a person picks an occupant.
 */
export class PlayctlTown extends HTMLElement {
  static readonly observedAttributes = ['host', 'token', 'name', 'lang', 'theme']

  readonly #root = this.attachShadow({ mode: 'open' })
  #ending: AbortController | undefined
  #town: Town | undefined
  #began = false
  /** The words for the state, and the timer for those that are shown when it lasts. */
  #words = ''
  #slow: ReturnType<typeof setTimeout> | undefined

  connectedCallback(): void { this.#renew() }
  disconnectedCallback(): void { this.#renew() }
  attributeChangedCallback(name: string): void { if (name === 'theme') this.#paint(); else this.#renew() }

  /** Starts again with the current attributes, once for all attributes that change together. */
  #renew(): void {
    this.#ending?.abort()
    clearTimeout(this.#slow)
    this.#words = ''
    if (this.#began) return
    this.#began = true
    queueMicrotask(() => {
      this.#began = false
      if (!this.isConnected) return
      const ending = new AbortController()
      this.#ending = ending
      void this.#show(ending.signal)
    })
  }

  async #show(signal: AbortSignal): Promise<void> {
    const spoken = (this.closest('[lang]')?.getAttribute('lang') ?? '').trim()
    const { language, locale } = chooseLanguage('', spoken === '' ? navigator.languages : [spoken])
    const tell = teller(mapWords(language), locale)
    const { frame, map, list, said, status, zoom } = this.#furnish(tell)
    frame.lang = language
    const text = townText(tell, locale)
    const town = new Town(map, {
      text, theme: 'light', reducedMotion: false, insets: { top: 8, right: 8, bottom: 34, left: 8 },
      onAnnounce: (sentence) => { said.textContent = sentence },
      onSelect: (key) => { town.select(key); this.#tell('playctl-select', { key }) },
    })
    this.#town = town
    // Vertical swipes scroll the surrounding page, and so does the wheel unless it is meant for the map.
    town.canvas.style.touchAction = 'pan-y'
    const ends = [
      watchMedia('(prefers-color-scheme: dark)', () => { this.#paint() }),
      watchMedia('(prefers-reduced-motion: reduce)', (reduced) => { town.setReducedMotion(reduced) }),
    ]
    signal.addEventListener('abort', () => {
      for (const end of ends) end()
      town.destroy()
    })
    zoom.onclick = ({ target }) => {
      const { by } = target instanceof HTMLElement ? target.dataset : {}
      if (by === '') town.fit()
      else if (by !== undefined) town.zoomBy(Number(by))
    }
    const host = (this.getAttribute('host') ?? '').trim()
    const token = (this.getAttribute('token') ?? '').trim()
    this.#state(status, tell, 'connecting', 'unread')
    await follow(host, token, {
      onWorld: (snapshot) => { take(town, list, snapshot, text.describe) },
      onEvent: (event) => { play(town, event) },
      onState: (state, verification, why) => { this.#state(status, tell, state, verification, why) },
    }, signal)
  }

  /** Creates the elements around the map. */
  #furnish(tell: Teller<MapKey>): Record<'frame' | 'map' | 'list' | 'said' | 'status' | 'zoom', HTMLElement> {
    const frame = made('section', 'frame', { 'aria-label': (this.getAttribute('name') ?? '').trim() || tell('page.title') })
    const map = made('div', 'map')
    const list = made('ul', 'unseen', { 'aria-label': tell('tab.residents') })
    const said = made('p', 'unseen', { role: 'status' })
    const status = made('p', 'status', { role: 'status' })
    const zoom = made('div', 'zoom', { 'role': 'group', 'aria-label': tell('map.zoom') })
    zoom.append(...([['map.zoomIn', '+', '1.4'], ['map.zoomOut', '−', '0.7143'], ['map.fit', '⤢', '']] as const).map(([name, sign, by]) => {
      const button = made('button', '', { 'type': 'button', 'aria-label': tell(name), 'title': tell(name), 'data-by': by })
      button.textContent = sign
      return button
    }))
    frame.append(map, list, zoom, status, said)
    this.#root.adoptedStyleSheets = [style()]
    this.#root.replaceChildren(frame)
    frame.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && this.#root.activeElement !== this.#town?.canvas) event.stopPropagation()
    }, { capture: true, passive: true })
    return { frame, map, list, said, status, zoom }
  }

  #paint(): void {
    const asked = this.getAttribute('theme')
    const dark = asked === 'dark' || (asked !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
    this.#town?.setTheme(dark ? 'dark' : 'light')
    this.#root.firstElementChild?.setAttribute('data-theme', dark ? 'dark' : 'light')
  }

  #state(status: HTMLElement, tell: Teller<MapKey>, state: TownState, verification: Verification, why?: Error): void {
    const words = state === 'live' ? `${tell(states.live)} · ${tell(verifications[verification])}` : tell(states[state])
    if (this.#words === words) return
    this.#words = words
    status.textContent = words
    clearTimeout(this.#slow)
    if (state === 'connecting' || state === 'reconnecting') this.#slow = setTimeout(() => { status.textContent = tell('status.waiting') }, slowAfter)
    status.parentElement?.setAttribute('data-state', state)
    this.#tell('playctl-state', { state, verification, ...(why !== undefined && { message: why.message }) })
  }

  #tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
  }
}

/** Shows a state of the world, and lists the occupants for people who cannot see the map. */
function take(town: Town, list: HTMLElement, { sid, worldMap }: WorldSnapshot, describe: TownText['describe']): void {
  const occupants = worldMap.occupants.map(occupantThing).filter((row) => row !== undefined)
  town.setWorld({ sid, bounds: worldMap.bounds, occupants })
  tell(list, occupants.map((row) => [row.key, describe(row)]))
}

/** Updates the texts of a list, by their keys. Unchanged items stay: a screen reader may be reading them. */
function tell(list: HTMLElement, words: readonly (readonly [key: string, words: string])[]): void {
  const known = new Map([...list.children].map((item) => [item.getAttribute('data-key'), item]))
  const keys = new Set(words.map(([key]) => key))
  for (const [key, item] of known) if (key === null || !keys.has(key)) item.remove()
  words.forEach(([key, said], place) => {
    const item = known.get(key) ?? made('li', '', { 'data-key': key })
    if (item.textContent !== said) item.textContent = said
    if (list.children[place] !== item) list.insertBefore(item, list.children[place] ?? null)
  })
}

function made(tag: string, name: string, attributes: Readonly<Record<string, string>> = {}): HTMLElement {
  const element = document.createElement(tag)
  if (name !== '') element.className = name
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}
