import { asObject, asText, type InteractionsReply, type JourneysReply, type WorldClient } from '@playctl/sdk'
import { readSteps, type JourneyStep } from '../world/journeys.js'
import { readLine, type Line } from '../panel/line.js'
import { text } from '../text/text.js'

/** One question to an agent, line or action of it. */
export type Chapter = { readonly seq: number, readonly at: number } & (
  | { readonly is: 'line', readonly role: Line['role'], readonly text: string }
  | { readonly is: 'journey', readonly steps: readonly JourneyStep[] }
)

/** The number of chapters of each kind read at a time, and the greatest number in all. */
export const page = 50
export const most = 10_000

/** The known part of an agent's story, the newest first; `before` is the next position to read, undefined if all is read. */
export interface Story {
  readonly chapters: readonly Chapter[]
  readonly lines: Rest
  readonly journeys: Rest
}

/** The unread part of a list: the part before a position, or nothing. */
type Rest = { readonly before: number | undefined } | undefined

export const unread: Story = { chapters: [], lines: { before: undefined }, journeys: { before: undefined } }

/** Reports whether there is more to read. */
export function more({ lines, journeys, chapters }: Story): boolean {
  return (lines !== undefined || journeys !== undefined) && chapters.length < most
}

/** The host's replies for the two lists; undefined if all of one was read already. */
export type Read = readonly [lines: InteractionsReply | undefined, journeys: JourneysReply | undefined]

/** Reads the next earlier part. */
export async function readOn(client: WorldClient, playerId: string, story: Story, limit = page): Promise<Read> {
  const request = (rest: { readonly before: number | undefined }): { playerId: string, limit: number, beforeSeq?: number } =>
    ({ playerId, limit, ...(rest.before === undefined ? {} : { beforeSeq: rest.before }) })
  return Promise.all([
    story.lines && client.listInteractions(request(story.lines)), story.journeys && client.listJourneys(request(story.journeys)),
  ])
}

/** Adds read chapters to a story, each once. */
export function joined(story: Story, [lines, journeys]: Read): Story {
  const chapters = new Map(story.chapters.map((chapter) => [chapter.seq, chapter]))
  for (const { seq, role, text: words, at } of lines?.interactions.map(readLine) ?? []) chapters.set(seq, { is: 'line', seq, at, role, text: words })
  for (const { seq, at, journey, path } of journeys?.journeys ?? []) chapters.set(seq, { is: 'journey', seq, at: Date.parse(at) || 0, steps: readSteps(path.length > 0 ? path : journey.steps) })
  return {
    chapters: [...chapters.values()].sort((a, b) => b.seq - a.seq).slice(0, most),
    lines: restOf(lines?.hasMore, lines?.interactions[0]?.seq),
    journeys: restOf(journeys?.hasMore, journeys?.journeys[0]?.seq),
  }
}

function restOf(hasMore: boolean | undefined, before: number | undefined): Rest {
  return hasMore === true ? { before } : undefined
}

/** Adds an event to a story. */
export function happened(story: Story, kind: string, data: object, seq: number | undefined, at: number): Story {
  if (kind !== 'world:interaction' && kind !== 'world:journey') return story
  const fields = asObject(data)
  const known = kind === 'world:interaction' ? { interactions: [{ ...data, seq: seq ?? 0 }], hasMore: false } as unknown as InteractionsReply : undefined
  const journey = kind === 'world:journey' ? { journeys: [{ journey: fields?.journey, path: fields?.path ?? [], seq: seq ?? 0, at: new Date(at).toISOString() }], hasMore: false } as unknown as JourneysReply : undefined
  return { ...joined(story, [known, journey]), lines: story.lines, journeys: story.journeys }
}

/** Returns the chapters that contain a text. */
export function search(chapters: readonly Chapter[], wanted: string, language: string): readonly Chapter[] {
  const words = wanted.trim().toLocaleLowerCase(language)
  return words === '' ? chapters : chapters.filter((chapter) => wordsOf(chapter).toLocaleLowerCase(language).includes(words))
}

function wordsOf(chapter: Chapter): string {
  return chapter.is === 'line' ? chapter.text : chapter.steps.map(({ toolName, content, args, result, error }) => `${toolName} ${content} ${error} ${JSON.stringify([args, result])}`).join(' ')
}

/** Returns a story as a document, the oldest chapter first. */
export function markdownOf(name: string, chapters: readonly Chapter[]): string {
  const parts = [...chapters].reverse().map((chapter) => {
    const head = `## ${new Date(chapter.at).toISOString()} · ${text(chapter.is === 'journey' ? 'story.journey' : `lines.${chapter.role}`)}`
    if (chapter.is === 'line') return `${head}\n\n${chapter.text}\n`
    return `${head}\n\n${chapter.steps.map(({ type, toolName, content }, i) => `${i + 1}. ${type === 'structure' ? `\`${toolName}\`` : asText(content) ?? ''}`).join('\n')}\n`
  })
  return [`# ${name}\n`, ...parts].join('\n')
}

/** Returns a story as JSON, the oldest chapter first. */
export function jsonOf(name: string, playerId: string, chapters: readonly Chapter[]): string {
  return `${JSON.stringify({ name, playerId, story: [...chapters].reverse().map(({ at, is, ...rest }) => ({ kind: is, at: new Date(at).toISOString(), ...rest })) }, null, 2)}\n`
}
