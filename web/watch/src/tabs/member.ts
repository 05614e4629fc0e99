import { randomText } from '@playctl/sdk'
import { blocksOf, type Block } from './blocks.js'
import { answersTo, Leader, questionsTo } from './leader.js'
import { endOf, type Answer, type Call, type Life, type OpenWire, type Want, type Wire } from './wire.js'

/** How long a tab that would lead waits for another one, in milliseconds. */
const claimMs = 100
/** How often a visible tab asks whether the leader is there, in milliseconds, and after how many questions without an answer it is not: frozen, or crashed. */
const probeMs = 250
const mostMissed = 4

/** Requests the stream after a position from the host. */
export type RequestStream = (after: number | undefined, signal: AbortSignal) => Promise<Response>

/** The end of the stream. */
type End = Extract<Call, { say: 'end' }>

/** Reads the stream that all tabs share, as if it were its own: the events after its position, each once and in order. */
export class Member {
  readonly id = randomText()
  readonly #openWire: OpenWire
  #group: string
  readonly #life: Life
  readonly #request: RequestStream
  #after: number | undefined
  /** Whether something was read: then the host's reply is no longer of interest. */
  #began = false
  /** The highest turn of leading so far. */
  #term = 0
  #leader: string | undefined
  #own: Leader | undefined
  #refusal: Response | undefined
  #end: End | undefined
  #turn = 0
  #answer: Answer | undefined
  #missed = 0
  /** Whether the page was just shown: its leader may have been frozen for long, so one question has to do. */
  #justShown = false
  /** The claims of other tabs since the own one. */
  #rivals: Extract<Call, { say: 'claim' }>[] = []
  /** A connection of its own, while it is too far behind, and the position up to which it is needed. */
  #direct: { readonly blocks: AsyncIterator<Block, void>, readonly ending: AbortController, from: number, stated?: boolean } | undefined
  #calls: Wire | undefined
  #answers: Wire | undefined
  #questions: { readonly to: string, readonly wire: Wire } | undefined
  #closed: Error | undefined
  #woken = false
  #wake: (() => void) | undefined
  readonly #unlisten: () => void
  #shown: boolean

  constructor(openWire: OpenWire, group: string, life: Life, after: number | undefined, request: RequestStream) {
    this.#openWire = openWire
    this.#group = group
    this.#life = life
    this.#after = after
    this.#request = request
    this.#shown = life.visible
    this.#unlisten = life.listen(() => { this.#lives() })
    this.#connect()
  }

  /**
   * Returns the next part of the stream, undefined at its clean end, or the host's refusal if
   * there is no stream. Rejects if the stream breaks.
   */
  async next(): Promise<string | Response | undefined> {
    for (;;) {
      if (this.#closed !== undefined) throw this.#closed
      if (!this.#life.awake) {
        await this.#wait()
        continue
      }
      if (this.#refusal !== undefined) return this.#refused(this.#refusal)
      if (this.#end !== undefined) return this.#ended(this.#end)
      if (this.#direct === undefined && this.#leader === undefined) {
        await this.#elect()
        continue
      }
      const found = this.#leader === undefined || this.#direct !== undefined ? await this.#readDirect() : await this.#ask(this.#leader)
      if (found !== undefined) return found
    }
  }

  /** Continues with the tabs of another group, from the same position. */
  move(group: string): void {
    if (this.#closed !== undefined || group === this.#group) return
    this.#disconnect()
    this.#group = group
    if (this.#life.awake) this.#connect()
    this.#wakeUp()
  }

  /** Leaves the other tabs; one of them leads if this one did. */
  close(why: Error): void {
    if (this.#closed !== undefined) return
    this.#closed = why
    this.#unlisten()
    this.#disconnect()
    this.#wakeUp()
  }

  #connect(): void {
    this.#calls = this.#openWire(this.#group, (call: Call) => { this.#hear(call) })
    this.#answers = this.#openWire(answersTo(this.#group, this.id), (answer: Answer) => {
      if (answer.turn !== this.#turn) return
      this.#missed = 0
      if (answer.is === 'here' && this.#answer !== undefined) return
      this.#answer = answer
      this.#wakeUp()
    })
  }

  #disconnect(): void {
    this.#own?.close()
    this.#own = this.#leader = undefined
    this.#direct?.ending.abort()
    this.#direct = undefined
    for (const wire of [this.#calls, this.#answers, this.#questions?.wire]) wire?.close()
    this.#calls = this.#answers = this.#questions = undefined
  }

  /** Leaves the others before the page sleeps: then nothing waits for it, and another tab leads. */
  #lives(): void {
    const { awake, visible } = this.#life
    if (!awake) this.#disconnect()
    else if (this.#calls === undefined) this.#connect()
    this.#justShown ||= visible && !this.#shown
    this.#shown = visible
    this.#wakeUp()
  }

  #hear(call: Call): void {
    switch (call.say) {
      case 'claim':
        if (call.by !== this.id) this.#rivals.push(call)
        break
      case 'lead':
        if (call.term < this.#term) return
        this.#term = call.term
        this.#leader = call.by
        break
      case 'bye':
        if (call.by === this.#leader) this.#leader = undefined
        break
      case 'end':
        if (call.by === this.#leader) this.#end = call
        break
    }
    this.#wakeUp()
  }

  /** Finds a leader, or leads. */
  async #elect(): Promise<void> {
    const term = this.#term + 1
    const mine = this.#rank
    const group = this.#group
    const claim = (): void => { this.#calls?.post({ say: 'claim', by: this.id, rank: mine, term }) }
    this.#rivals = []
    claim()
    let turns = 1
    for (let until = Date.now() + claimMs; ;) {
      await this.#wait(until - Date.now())
      if (this.#leader !== undefined || this.#closed !== undefined || this.#group !== group || !this.#life.awake) return
      const rivals = this.#rivals.splice(0)
      if (rivals.some(({ rank }) => rank < mine)) until = Date.now() + (++turns) * claimMs
      // A tab that came later does not know this one.
      else if (rivals.length > 0) claim()
      if (Date.now() >= until) break
    }
    this.#lead(term)
  }

  /** The better tab to lead has the lower rank: a page that people see is not frozen. */
  get #rank(): string { return `${this.#life.visible ? '0' : '1'}${this.id}` }

  #lead(term: number): void {
    const after = this.#after
    this.#own?.close()
    const leader = new Leader(this.#openWire, this.#group, this.id, this.#rank, term, (signal) => this.#request(after, signal))
    this.#own = leader
    this.#leader = this.id
    this.#term = term
    void leader.run().then((refusal) => {
      if (this.#own !== leader) return
      this.#own = undefined
      this.#refusal = refusal
      this.#wakeUp()
    })
  }

  /** Asks the leader for the next events, and waits for them. */
  async #ask(leader: string): Promise<string | undefined> {
    const want: Want = { by: this.id, turn: ++this.#turn, after: this.#after }
    this.#answer = undefined
    this.#post(leader, want)
    while (this.#leader === leader && this.#closed === undefined && this.#life.awake) {
      const answer = this.#taken()
      if (answer !== undefined) {
        const found = await this.#understand(answer)
        if (found !== undefined || answer.is !== 'here') return found
      }
      if (this.#end !== undefined || this.#refusal !== undefined) return undefined
      if (this.#justShown) {
        this.#justShown = false
        this.#missed = mostMissed - 1
        this.#post(leader, want)
      }
      const { visible } = this.#life
      if (await this.#wait(visible ? probeMs : undefined) || !this.#life.visible) continue
      if (++this.#missed >= mostMissed) {
        this.#missed = 0
        this.#leader = undefined
        return undefined
      }
      this.#post(leader, want)
    }
    return undefined
  }

  /** Removes and returns the answer that has come. */
  #taken(): Answer | undefined {
    const answer = this.#answer
    this.#answer = undefined
    return answer
  }

  async #understand(answer: Answer): Promise<string | undefined> {
    switch (answer.is) {
      case 'here':
        return answer.open ? this.#begin(this.#after) : undefined
      case 'events': {
        const begin = this.#begin(this.#after ?? answer.seq) ?? ''
        this.#after = answer.seq
        return begin + answer.text || undefined
      }
      case 'gone':
        return this.#fetchDirect(answer.from)
    }
  }

  /** Returns the first part of the stream, which states the position after which it begins; undefined if it has started. */
  #begin(after: number | undefined): string | undefined {
    if (this.#began || after === undefined) return undefined
    this.#began = true
    return `:\n\nid: ${String(after)}\n\n`
  }

  /** Opens a connection of its own: the host has the events that the leader does not keep, or says that they are lost. */
  async #fetchDirect(from: number): Promise<undefined> {
    const ending = new AbortController()
    let response: Response
    try {
      response = await this.#request(this.#after, ending.signal)
    } catch (error) {
      this.#end = endOf(this.id, error as Error)
      return undefined
    }
    if (this.#calls === undefined) ending.abort()
    else if (response.status !== 200 || response.body === null) this.#refusal = response
    else this.#direct = { blocks: blocksOf(response.body), ending, from }
    return undefined
  }

  /** Reads the next block of the own connection, which ends when the leader has the events after it. */
  async #readDirect(): Promise<string | undefined> {
    const direct = this.#direct
    if (direct === undefined) return undefined
    try {
      const { value } = await direct.blocks.next()
      if (this.#direct !== direct) return undefined
      if (value === undefined) {
        this.#end = endOf(this.id)
        return undefined
      }
      const { text, seq, is } = value
      if (is === 'restart') direct.from = 0
      // At another position than the requested one, the host says next why the log does not continue there.
      const elsewhere = is === 'other' && seq !== undefined && seq !== this.#after
      if (seq !== undefined) this.#after = seq
      // A comment after a silence: the host has no further event for this reader from before the silence.
      else if (direct.stated === true) this.#after = Math.max(this.#after ?? 0, direct.from)
      direct.stated ||= seq !== undefined
      this.#began = true
      if (direct.stated && !elsewhere && this.#after !== undefined && this.#after >= direct.from) {
        direct.ending.abort()
        this.#direct = undefined
      }
      return text
    } catch (error) {
      if (this.#direct === direct) this.#end = endOf(this.id, error as Error)
      return undefined
    }
  }

  #post(leader: string, want: Want): void {
    if (this.#questions?.to !== leader) {
      this.#questions?.wire.close()
      this.#questions = { to: leader, wire: this.#openWire(questionsTo(this.#group, leader)) }
    }
    this.#questions.wire.post(want)
  }

  #refused(response: Response): Response {
    if (this.#began) throw new TypeError('the host refused the event stream')
    return response
  }

  #ended({ error, text }: End): string | undefined {
    if (error !== undefined) throw new TypeError(error)
    if (text === '') return undefined
    this.#end = endOf(this.id)
    return text
  }

  #wakeUp(): void {
    this.#woken = true
    this.#wake?.()
  }

  /** Waits until something changes, or for a time; false when the time has passed. */
  async #wait(ms?: number): Promise<boolean> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, Math.max(0, ms))
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#wake = undefined
    }
    const woken = this.#woken
    this.#woken = false
    return woken
  }
}
