import {
  HUMAN_LABEL, asNumber, asText, exchangeIn, nextExchange, readEvent,
  type EventFields, type EventKind, type InteractionRole, type KnownEvent, type OccupantKind, type WorldEvent,
} from '@playctl/sdk'
import { called } from '../app/names.js'
import { membersOf, wordsOf as wordsOfMember } from '../chat/result.js'
import type { Directory } from '../world/directory.js'
import { doingOf } from '../town/doing.js'
import { signs } from '../town/signs.js'
import type { TimedEvent } from '../world/events.js'
import { readSteps } from '../world/journeys.js'
import { occupantThing } from '../world/things.js'
import { text, type TextKey } from '../text/text.js'
import { clamp, textLimit, type Entry, type Group } from './entry.js'
import { Then, type Named } from './then.js'

/** The content of an event, without its number and time. */
interface Description {
  readonly group: Group
  readonly sentence: TextKey
  /** The id of its subject, as in the event. */
  readonly who?: string
  readonly key?: string
  readonly name?: string
  readonly values?: Readonly<Record<string, string | number>>
  readonly text?: string
  readonly renews?: boolean
  readonly request?: string
}

/** The time of an event, and the state of the world just before it. */
interface Before {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Returns the name of an id in an event. */
  readonly whose: (id: string) => Named | undefined
  /** Reports whether the event's row was not on the map. */
  readonly isNew: (id: string) => boolean
}

/** The description of each kind of event. Text values may differ from those in the contract: a newer host may send others. */
const describers: { readonly [K in EventKind]: (data: EventFields[K], before: Before) => Description } = {
  'world:player_added': ({ player }, before) => (
    player.agentId === '' ? { group: 'presence', sentence: 'event.changed' } : placed('presence', 'event.added', player, before)
  ),
  'world:player_removed': ({ playerId, reason }) => ({ group: 'presence', who: playerId, ...departure(reason) }),
  'world:person_added': ({ person }, before) => {
    if (person.id === '') return { group: 'presence', sentence: 'event.changed' }
    const came = placed('presence', 'event.added', person, before)
    return came.sentence === 'event.added' ? came : { ...came, sentence: 'event.walked', values: { x: person.x, y: person.y } }
  },
  'world:person_removed': ({ personId, reason }) => ({ group: 'presence', who: personId, ...departure(reason) }),
  'world:mcp_registered': ({ mcp }, before) => (
    mcp.id === '' ? { group: 'place', sentence: 'event.changed', key: '', name: '' } : placed('place', 'event.mcpAdded', mcp, before)
  ),
  'world:mcp_unregistered': ({ id }) => ({ group: 'place', sentence: 'event.mcpRemoved', who: id }),
  'world:interaction': (line) => ({
    group: 'speech', sentence: Object.hasOwn(said, line.role) ? said[line.role] : 'event.said.other', who: line.playerId, text: line.text,
  }),
  'world:journey': ({ playerId, journey }) => {
    const route = readSteps(journey.steps).map(({ toolName, content }) => toolName || content).filter((stop) => stop !== '')
    return {
      group: 'journey', sentence: 'event.journey', who: playerId,
      values: { count: journey.steps.length }, text: route.map((stop) => clamp(stop, 80)).join(' → '),
    }
  },
  'world:activity': ({ playerId, activity }, { at }) => ({
    group: 'activity', who: playerId, text: doingOf(activity), renews: Date.parse(activity.since) !== at, request: `${activity.since} ${playerId}`,
    sentence: Object.hasOwn(signs, activity.state) ? `event.activity.${activity.state}` : 'event.changed',
  }),
  'world:agent_signal': signaled,
  'world:space_changed': ({ spaceId, action }, before) => {
    const key = `space:${spaceId}`
    return {
      group: 'place', sentence: `event.space.${action === 'created' || action === 'removed' ? action : 'changed'}`, key,
      values: { space: clamp(called(before.whose(spaceId)?.name ?? spaceId), 80) },
    }
  },
  'world:intercom': asked,
  'session:reset': () => ({ group: 'session', sentence: 'event.reset' }),
  'session:resync': () => ({ group: 'session', sentence: 'event.resync' }),
}

const said: Readonly<Record<InteractionRole, TextKey>> = {
  user: 'event.said.user', assistant: 'event.said.assistant', tool: 'event.said.tool',
}

/**
 * Describes an event by the world before it: a leaving occupant still has a name, and an arriving
 * one is new. The directory is of the world before the event, or of the present for a past event.
 */
export function describe(event: TimedEvent, directory: Directory, serial: number, then = new Then()): Entry {
  const known = readEvent(event)
  const before: Before = {
    at: event.at,
    whose: (id) => event.past ? then.whose(id) ?? directory.whose(id) : directory.whose(id) ?? then.whose(id),
    isNew: (id) => then.isNew(event) ?? (event.past ? then : directory).whose(id) === undefined,
  }
  const description: Description = known === undefined
    ? { group: 'session', sentence: 'event.other', values: { kind: event.kind } }
    : describeKnown(known, before)
  const { group, sentence, who, key, values = {} } = description
  const thing = who === undefined ? undefined : before.whose(who)
  const name = description.name ?? thing?.name ?? (who === undefined ? undefined : shortId(who))
  return {
    serial, seq: event.seq, event: event.kind, at: event.at,
    group, sentence, values,
    key: key ?? thing?.key ?? '',
    name: name === undefined ? '' : clamp(called(name), 80),
    ...(event.past && who !== undefined && then.whose(who) === undefined ? { unsure: who } : {}),
    text: clamp(description.text ?? '', textLimit),
    ...(description.request !== undefined && { renews: description.renews === true, request: description.request }),
  }
}

/** Returns the full text of an event, without a limit; empty if there is none. */
export function wordsOf(event: WorldEvent): string {
  const known = readEvent(event)
  return (known && describeKnown(known, nothing).text) ?? ''
}

/** The text does not depend on the occupants of the map. */
const nothing: Before = { at: 0, whose: () => undefined, isNew: () => true }

function describeKnown({ kind, data }: KnownEvent, before: Before): Description {
  const describer = describers[kind] as (data: KnownEvent['data'], before: Before) => Description
  return describer(data, before)
}

/** Returns a short id for people: the first 12 characters of a node's, any other unchanged. */
export function shortId(id: string): string {
  return id.length === 64 ? id.slice(0, 12) : id
}

/** Describes an occupant that is new on the map, or has changed. */
function placed(group: Group, sentence: TextKey, row: { readonly kind: OccupantKind, readonly name: string, readonly x: number, readonly y: number }, before: Before): Description {
  const { name, x, y } = row
  const { key, id } = occupantThing(row) ?? { key: '', id: '' }
  return before.isNew(id) ? { group, key, name, sentence, values: { x, y } } : { group, key, name, sentence: 'event.changed' }
}

function departure(reason: string): Pick<Description, 'sentence' | 'values'> {
  switch (reason) {
    case 'disconnect': case 'lease': case 'deleted': case 'admin':
      return { sentence: `event.removed.${reason}` }
    default:
      return { sentence: 'event.removed.other', values: { reason: clamp(reason, 40) } }
  }
}

function signaled(signal: EventFields['world:agent_signal'], before: Before): Description {
  const { kind } = signal
  const about = { group: 'signal', who: signal.playerId } as const
  const by = 'fromPlayerId' in signal.data ? asText(signal.data.fromPlayerId) ?? '' : ''
  const from = nameOf(by, before)
  switch (signal.kind) {
    case 'journey': return { ...about, sentence: 'event.signal.journey', values: { count: asNumber(signal.data.stepCount) ?? 0 } }
    case 'zone': return { ...about, sentence: by === '' ? 'event.signal.zone' : 'event.signal.zoneOf', values: { count: asNumber(signal.data.zoneCount) ?? 0, from } }
    case 'yield': return { ...about, sentence: by === '' ? 'event.signal.yield' : 'event.signal.yieldTo', values: { count: asNumber(signal.data.yieldCount) ?? 0, from } }
    case 'assist': return { ...about, sentence: 'event.signal.assist', values: { from } }
    // A person on the map speaks by questions, and waves by this signal.
    case 'chat': return { ...about, sentence: before.whose(by)?.key.startsWith('human:') === true ? 'event.signal.wave' : 'event.signal.chat', values: { from } }
    case 'metadata': {
      const reason = asText(signal.data.reason) ?? ''
      return { ...about, sentence: 'event.signal.metadata', values: { reason: clamp(reason.replaceAll('_', ' '), 60) } }
    }
    default: return { ...about, sentence: 'event.signal.other', values: { kind: clamp(kind, 40) } }
  }
}

/** Returns the text of an answer, with its other parts below. */
function answerOf({ status, message = '', result: given }: EventFields['world:intercom']): string {
  const { answer, result = {} } = nextExchange(exchangeIn({}), { status, message, ...(given && { result: given }) })
  const members = membersOf(result).map(([name, value]) => `${name}: ${wordsOfMember(value)}`)
  return [answer, members.join('\n')].filter((part) => part !== '').join('\n\n')
}

/** Returns the name of an occupant; other senders have labels such as __night_watch__. */
function nameOf(id: string, before: Before): string {
  if (id === HUMAN_LABEL) {
    return text('residents.person')
  }
  return clamp(called(before.whose(id)?.name ?? shortId(id).replace(/^__+|__+$/g, '')), 80)
}

function asked(data: EventFields['world:intercom']): Description {
  const { status, fromPlayerId, toolName = '', command, message = '', error = '' } = data
  // In every status the sender is the agent; a timeout has its id as well.
  const about = { group: 'intercom', who: fromPlayerId } as const
  switch (status) {
    case 'forwarded': return { ...about, sentence: 'event.intercom.forwarded', text: command?.text ?? toolName }
    case 'stream': return { ...about, sentence: 'event.intercom.stream', text: message }
    case 'completed': return { ...about, sentence: 'event.intercom.completed', text: answerOf(data) }
    case 'failed': return { ...about, sentence: 'event.intercom.failed', text: error }
    default: return { ...about, sentence: 'event.intercom.started', text: toolName }
  }
}
