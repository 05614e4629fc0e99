import { clamp, type Entry } from '../feed/entry.js'
import { needsPerson } from '../feed/filter.js'
import { sentenceOf } from '../feed/sentence.js'
import { plainWords } from '../markdown/plain.js'
import { text, type TextKey } from '../text/text.js'

const announced: ReadonlySet<TextKey> = new Set(['event.added', 'event.said.assistant', 'event.intercom.completed', 'event.intercom.failed'])
const departed: ReadonlySet<string> = new Set(['world:player_removed', 'world:person_removed'])
/** The greatest numbers of announced answers, of failures, and of agents that need a person. */
const mostAnswers = 3

/** Reports whether an entry is announced: arrivals, departures, lines, answers, and that an agent began to need a person. */
export function isAnnounced(entry: Entry): boolean {
  return announced.has(entry.sentence) || departed.has(entry.event) || (needsPerson(entry) && entry.renews !== true)
}

/** Summarizes several entries. */
export function digest(entries: readonly Entry[]): string {
  const came = entries.filter((entry) => entry.sentence === 'event.added')
  const left = entries.filter((entry) => departed.has(entry.event))
  const lines = entries.filter((entry) => entry.sentence === 'event.said.assistant')
  const answers = entries.filter((entry) => entry.sentence === 'event.intercom.completed')
  const more = answers.length - mostAnswers
  const failures = entries.filter((entry) => entry.sentence === 'event.intercom.failed')
  const [first] = lines
  const needs = [...new Map(entries.filter(needsPerson).map((entry) => [entry.key, entry])).values()]
  return [
    ...needs.slice(0, mostAnswers).map((entry) => entry.text === '' ? sentenceOf(entry) : text('say.speech', { who: sentenceOf(entry), text: clamp(plainWords(entry.text), 200) })),
    ...(needs.length > mostAnswers ? [text('say.more', { count: needs.length - mostAnswers })] : []),
    ...(came[0] ? [text('say.arrivals', { names: came[0].name, count: came.length })] : []),
    ...(left[0] ? [text('say.departures', { names: left[0].name, count: left.length })] : []),
    ...answers.slice(0, mostAnswers).map((entry) => text('say.answered', { who: entry.name, text: clamp(plainWords(entry.text), 200) })),
    ...(more > 0 ? [text('say.manyAnswers', { count: more })] : []),
    ...failures.slice(0, mostAnswers).map((entry) => text('say.answerFailed', { who: entry.name, text: clamp(plainWords(entry.text), 200) })),
    ...(first && lines.length === 1 ? [text('say.speech', { who: first.name, text: clamp(plainWords(first.text), 200) })] : []),
    ...(lines.length > 1 ? [text('say.manyLines', { count: lines.length })] : []),
  ].join(' ')
}
