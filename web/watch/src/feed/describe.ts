import { called } from '../app/names.js'
import { isObject, numberOf, objectsOf, stringOf, type JsonObject } from '../world/json.js'
import type { Directory } from '../world/directory.js'
import type { WorldEvent } from '../world/events.js'
import { readOccupant } from '../world/rows.js'
import { text, type TextKey } from '../text/text.js'
import { clamp, textLimit, type Entry, type Group } from './entry.js'

/** What an event says, before it is numbered and timed. */
interface Told {
  readonly group: Group
  readonly sentence: TextKey
  /** The id of whom it is about, as the event names them. */
  readonly who?: string
  readonly key?: string
  readonly name?: string
  readonly values?: Readonly<Record<string, string | number>>
  readonly text?: string
}

type Teller = (data: JsonObject, directory: Directory) => Told

const tellers: Readonly<Record<string, Teller>> = {
  'world:player_added': arrived,
  'world:player_removed': (data) => ({
    group: 'presence', who: stringOf(data.playerId), ...departure(stringOf(data.reason)),
  }),
  'world:mcp_registered': placed,
  'world:mcp_unregistered': (data) => ({ group: 'place', sentence: 'event.mcpRemoved', who: stringOf(data.id) }),
  'world:interaction': (data) => ({
    group: 'speech', sentence: spoken(data.role), who: stringOf(data.playerId), text: stringOf(data.text),
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
export function describe(event: WorldEvent, directory: Directory, serial: number): Entry {
  const teller = Object.hasOwn(tellers, event.kind) ? tellers[event.kind] : undefined
  const told: Told = teller?.(event.data, directory)
    ?? { group: 'session', sentence: 'event.other', values: { kind: event.kind } }
  const thing = told.who === undefined ? undefined : directory.whose(told.who)
  const name = told.name ?? thing?.name ?? (told.who === undefined ? undefined : shortId(told.who))
  return {
    serial, seq: event.seq, event: event.kind, at: event.at,
    group: told.group, sentence: told.sentence, values: told.values ?? {},
    key: told.key ?? thing?.key ?? '',
    name: name === undefined ? '' : clamp(called(name), 80),
    text: clamp(told.text ?? '', textLimit),
  }
}

/** An id for people: the first 12 characters of a node's, any other whole. */
export function shortId(id: string): string {
  return id.length === 64 ? id.slice(0, 12) : id
}

function arrived(data: JsonObject, directory: Directory): Told {
  const row = readOccupant(data.player)
  if (row === undefined) {
    return { group: 'presence', sentence: 'event.changed' }
  }
  const known = directory.get(row.key) !== undefined
  const about = { group: 'presence', key: row.key, name: row.name } as const
  return known ? { ...about, sentence: 'event.changed' } : { ...about, sentence: 'event.added', values: { x: row.x, y: row.y } }
}

function departure(reason: string): Pick<Told, 'sentence' | 'values'> {
  switch (reason) {
    case 'disconnect': case 'lease': case 'deleted': case 'admin':
      return { sentence: `event.removed.${reason}` }
    default:
      return { sentence: 'event.removed.other', values: { reason: clamp(reason, 40) } }
  }
}

function placed(data: JsonObject, directory: Directory): Told {
  const row = readOccupant(data.mcp)
  const about = { group: 'place', key: row?.key ?? '', name: row?.name ?? '' } as const
  return row === undefined || directory.get(row.key) !== undefined
    ? { ...about, sentence: 'event.changed' }
    : { ...about, sentence: 'event.mcpAdded', values: { x: row.x, y: row.y } }
}

function spoken(role: unknown): TextKey {
  return role === 'user' || role === 'assistant' || role === 'tool' ? `event.said.${role}` : 'event.said.other'
}

function travelled(data: JsonObject): Told {
  const steps = objectsOf(isObject(data.journey) ? data.journey.steps : undefined)
  const route = steps.map((step) => stringOf(step.toolName, stringOf(step.content))).filter((stop) => stop !== '')
  return {
    group: 'journey', sentence: 'event.journey', who: stringOf(data.playerId),
    values: { count: steps.length }, text: route.map((stop) => clamp(stop, 80)).join(' → '),
  }
}

function signalled(data: JsonObject, directory: Directory): Told {
  const detail = isObject(data.data) ? data.data : {}
  const about = { group: 'signal', who: stringOf(data.playerId) } as const
  const from = stringOf(detail.fromPlayerId)
  switch (data.kind) {
    case 'journey': return { ...about, sentence: 'event.signal.journey', values: { count: numberOf(detail.stepCount) } }
    case 'zone': return { ...about, sentence: 'event.signal.zone', values: { count: numberOf(detail.zoneCount) } }
    case 'yield': return { ...about, sentence: 'event.signal.yield', values: { count: numberOf(detail.yieldCount) } }
    case 'assist': return { ...about, sentence: 'event.signal.assist', values: { from: nameOf(from, directory) } }
    case 'chat': return { ...about, sentence: 'event.signal.chat', values: { from: nameOf(from, directory) } }
    case 'metadata': return {
      group: 'signal', sentence: 'event.signal.metadata', values: { reason: clamp(stringOf(detail.reason).replaceAll('_', ' '), 60) },
    }
    default: return { ...about, sentence: 'event.signal.other', values: { kind: clamp(stringOf(data.kind), 40) } }
  }
}

/** Whoever asks from a page goes by this label. */
const person = '__human__'

/** The name of one who is on the map; others who ask have labels such as __night_watch__. */
function nameOf(id: string, directory: Directory): string {
  if (id === person) {
    return text('residents.person')
  }
  return clamp(called(directory.whose(id)?.name ?? shortId(id).replace(/^__+|__+$/g, '')), 80)
}

function spaceChanged(data: JsonObject, directory: Directory): Told {
  const id = stringOf(data.spaceId)
  const action = data.action === 'created' || data.action === 'removed' ? data.action : 'changed'
  return {
    group: 'place', sentence: `event.space.${action}`, key: `space:${id}`,
    values: { space: clamp(called(directory.get(`space:${id}`)?.name ?? id), 80) },
  }
}

function asked(data: JsonObject): Told {
  const status = stringOf(data.status)
  const command = isObject(data.command) ? data.command : {}
  // The ids of the first two are swapped against the command; a time-out answers for the agent.
  const who = stringOf(data.fromPlayerId)
  const about = { group: 'intercom', who } as const
  switch (status) {
    case 'forwarded': return { ...about, sentence: 'event.intercom.forwarded', text: stringOf(command.text, stringOf(data.toolName)) }
    case 'stream': case 'completed':
      return { ...about, sentence: `event.intercom.${status}`, text: stringOf(data.message) }
    case 'failed': return { ...about, sentence: 'event.intercom.failed', text: stringOf(data.error) }
    default: return { ...about, sentence: 'event.intercom.started', text: stringOf(data.toolName) }
  }
}
