import { HUMAN_LABEL, asNumber, asObject, asText, type Json, type JsonObject } from '@playctl/sdk'
import { called } from '../app/names.js'
import type { Directory } from '../world/directory.js'
import type { Happening } from '../world/events.js'
import { readSteps } from '../world/journeys.js'
import { occupantThing } from '../world/things.js'
import { text, type TextKey } from '../text/text.js'
import { clamp, textLimit, type Entry, type Group } from './entry.js'

/** What an event says, before it is numbered and timed. */
interface Description {
  readonly group: Group
  readonly sentence: TextKey
  /** The id of whom it is about, as the event names them. */
  readonly who?: string
  readonly key?: string
  readonly name?: string
  readonly values?: Readonly<Record<string, string | number>>
  readonly text?: string
}

type Describer = (data: JsonObject, directory: Directory) => Description

const describers: Readonly<Record<string, Describer>> = {
  'world:player_added': arrived,
  'world:player_removed': (data) => ({
    group: 'presence', who: textOf(data.playerId), ...departure(textOf(data.reason)),
  }),
  'world:mcp_registered': placed,
  'world:mcp_unregistered': (data) => ({ group: 'place', sentence: 'event.mcpRemoved', who: textOf(data.id) }),
  'world:interaction': (data) => ({
    group: 'speech', sentence: spoken(data.role), who: textOf(data.playerId), text: textOf(data.text),
  }),
  'world:journey': travelled,
  'world:agent_signal': signalled,
  'world:space_changed': spaceChanged,
  'world:intercom': asked,
  'session:reset': () => ({ group: 'session', sentence: 'event.reset' }),
  'session:resync': () => ({ group: 'session', sentence: 'event.resync' }),
}

/**
 * Puts an event into words. The directory is of the world before the event, so
 * that one who leaves still has a name and one who comes is new.
 */
export function describe(event: Happening, directory: Directory, serial: number): Entry {
  const describer = Object.hasOwn(describers, event.kind) ? describers[event.kind] : undefined
  const said: Description = describer?.(event.data, directory)
    ?? { group: 'session', sentence: 'event.other', values: { kind: event.kind } }
  const thing = said.who === undefined ? undefined : directory.whose(said.who)
  const name = said.name ?? thing?.name ?? (said.who === undefined ? undefined : shortId(said.who))
  return {
    serial, seq: event.seq, event: event.kind, at: event.at,
    group: said.group, sentence: said.sentence, values: said.values ?? {},
    key: said.key ?? thing?.key ?? '',
    name: name === undefined ? '' : clamp(called(name), 80),
    text: clamp(said.text ?? '', textLimit),
  }
}

/** An id for people: the first 12 characters of a node's, any other whole. */
export function shortId(id: string): string {
  return id.length === 64 ? id.slice(0, 12) : id
}

function arrived(data: JsonObject, directory: Directory): Description {
  const row = occupantThing(data.player)
  if (row === undefined) {
    return { group: 'presence', sentence: 'event.changed' }
  }
  const known = directory.get(row.key) !== undefined
  const about = { group: 'presence', key: row.key, name: row.name } as const
  return known ? { ...about, sentence: 'event.changed' } : { ...about, sentence: 'event.added', values: { x: row.x, y: row.y } }
}

function departure(reason: string): Pick<Description, 'sentence' | 'values'> {
  switch (reason) {
    case 'disconnect': case 'lease': case 'deleted': case 'admin':
      return { sentence: `event.removed.${reason}` }
    default:
      return { sentence: 'event.removed.other', values: { reason: clamp(reason, 40) } }
  }
}

function placed(data: JsonObject, directory: Directory): Description {
  const row = occupantThing(data.mcp)
  const about = { group: 'place', key: row?.key ?? '', name: row?.name ?? '' } as const
  return row === undefined || directory.get(row.key) !== undefined
    ? { ...about, sentence: 'event.changed' }
    : { ...about, sentence: 'event.mcpAdded', values: { x: row.x, y: row.y } }
}

function spoken(role: Json | undefined): TextKey {
  return role === 'user' || role === 'assistant' || role === 'tool' ? `event.said.${role}` : 'event.said.other'
}

function travelled(data: JsonObject): Description {
  const steps = readSteps(asObject(data.journey)?.steps)
  const route = steps.map(({ toolName, content }) => toolName || content).filter((stop) => stop !== '')
  return {
    group: 'journey', sentence: 'event.journey', who: textOf(data.playerId),
    values: { count: steps.length }, text: route.map((stop) => clamp(stop, 80)).join(' → '),
  }
}

function signalled(data: JsonObject, directory: Directory): Description {
  const detail = asObject(data.data) ?? {}
  const about = { group: 'signal', who: textOf(data.playerId) } as const
  const from = textOf(detail.fromPlayerId)
  switch (data.kind) {
    case 'journey': return { ...about, sentence: 'event.signal.journey', values: { count: countOf(detail.stepCount) } }
    case 'zone': return { ...about, sentence: 'event.signal.zone', values: { count: countOf(detail.zoneCount) } }
    case 'yield': return { ...about, sentence: 'event.signal.yield', values: { count: countOf(detail.yieldCount) } }
    case 'assist': return { ...about, sentence: 'event.signal.assist', values: { from: nameOf(from, directory) } }
    case 'chat': return { ...about, sentence: 'event.signal.chat', values: { from: nameOf(from, directory) } }
    case 'metadata': return {
      group: 'signal', sentence: 'event.signal.metadata', values: { reason: clamp(textOf(detail.reason).replaceAll('_', ' '), 60) },
    }
    default: return { ...about, sentence: 'event.signal.other', values: { kind: clamp(textOf(data.kind), 40) } }
  }
}

/** The name of one who is on the map; others who ask have labels such as __night_watch__. */
function nameOf(id: string, directory: Directory): string {
  if (id === HUMAN_LABEL) {
    return text('residents.person')
  }
  return clamp(called(directory.whose(id)?.name ?? shortId(id).replace(/^__+|__+$/g, '')), 80)
}

function spaceChanged(data: JsonObject, directory: Directory): Description {
  const id = textOf(data.spaceId)
  const action = data.action === 'created' || data.action === 'removed' ? data.action : 'changed'
  return {
    group: 'place', sentence: `event.space.${action}`, key: `space:${id}`,
    values: { space: clamp(called(directory.get(`space:${id}`)?.name ?? id), 80) },
  }
}

function asked(data: JsonObject): Description {
  const status = textOf(data.status)
  const command = asObject(data.command) ?? {}
  // The ids of the first two are swapped against the command; a time-out answers for the agent.
  const who = textOf(data.fromPlayerId)
  const about = { group: 'intercom', who } as const
  switch (status) {
    case 'forwarded': return { ...about, sentence: 'event.intercom.forwarded', text: asText(command.text) ?? textOf(data.toolName) }
    case 'stream': case 'completed':
      return { ...about, sentence: `event.intercom.${status}`, text: textOf(data.message) }
    case 'failed': return { ...about, sentence: 'event.intercom.failed', text: textOf(data.error) }
    default: return { ...about, sentence: 'event.intercom.started', text: textOf(data.toolName) }
  }
}

function textOf(value: Json | undefined): string {
  return asText(value) ?? ''
}

function countOf(value: Json | undefined): number {
  return asNumber(value) ?? 0
}
