import { asText, exchangeIn, nextExchange, type Exchange, type WorldEvent } from '@playctl/sdk'
import { clamp, type Entry } from './entry.js'

/** The greatest length of an answer in parts that is kept in its entry. */
const longest = 4000
/** The greatest number of answers that are joined at a time. */
const most = 200

/** Joins the parts of answers: a single part is a token of a model, with no meaning by itself. */
export class Parts {
  private readonly answers = new Map<string, Exchange>()

  /** Returns the entry with the answer so far, if the event is a part of an answer. */
  join(event: WorldEvent, entry: Entry): Entry {
    const request = event.kind === 'world:intercom' && event.data.status === 'stream' ? asText(event.data.requestId) : undefined
    if (request === undefined) return entry
    const answer = nextExchange(this.answers.get(request) ?? exchangeIn(event.data), event.data)
    this.answers.delete(request)
    this.answers.set(request, { ...answer, answer: clamp(answer.answer, longest) })
    if (this.answers.size > most) this.answers.delete(this.answers.keys().next().value ?? '')
    return { ...entry, request, text: clamp(answer.answer, longest) }
  }
}

/** Appends an entry; a further part of an answer replaces the first part's entry. */
export function addTo(entries: Entry[], entry: Entry): void {
  const at = entry.request === undefined ? -1 : entries.findIndex(({ request }) => request === entry.request)
  const first = entries[at]
  if (first === undefined) entries.push(entry)
  else entries[at] = { ...first, text: entry.text }
}
