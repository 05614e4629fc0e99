import { asText, exchangeIn, nextExchange, type Exchange, type WorldEvent } from '@playctl/sdk'
import { clamp, type Entry } from './entry.js'

/** So much of an answer that comes in parts is kept with its happening. */
const longest = 4000
/** So many answers are joined at a time. */
const most = 200

/** Joins the parts of answers: a part by itself is a token of a model, which says nothing. */
export class Parts {
  private readonly answers = new Map<string, Exchange>()

  /** The happening with all that was answered so far, where the event is a part of an answer. */
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

/** Puts a happening behind others; the next part of an answer goes to where it began. */
export function addTo(entries: Entry[], entry: Entry): void {
  const at = entry.request === undefined ? -1 : entries.findIndex(({ request }) => request === entry.request)
  const begun = entries[at]
  if (begun === undefined) entries.push(entry)
  else entries[at] = { ...begun, text: entry.text }
}
