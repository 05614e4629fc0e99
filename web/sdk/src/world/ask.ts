import type { WorldClient } from '../http/client.js'
import { linked, randomText, reasonOf } from '../http/wait.js'
import { defined } from '../json/read.js'
import { AgentFailedError, GapError, OptionError, PlayError } from '../protocol/errors.js'
import type { IntercomCommand, IntercomEventData, JsonObject, WorldMap } from '../protocol/contract.js'
import { type WorldEvent, isEvent } from '../protocol/events.js'
import { type OptionNames, checkOptions } from '../protocol/options.js'
import { isBlank, normalizeAgentId } from '../protocol/text.js'
import { Stream, headersTimeoutMs } from '../stream/stream.js'
import { isFinal } from './lease.js'

/** The label that identifies a person instead of a player id (protocol reference, "Intercom"). */
export const HUMAN_LABEL = '__human__'

/** A question to an agent: `text`, or `tool`, or a realtime conversation. */
export interface IntercomQuestion {
  /** The agent's id; it need not be one of the account's. */
  readonly to: string
  /** The id of the account's agent that asks; a person by default. */
  readonly from?: string
  /** The text for the agent. */
  readonly text?: string
  /** The tool to call instead of a text. */
  readonly tool?: string
  /** The tool's arguments. */
  readonly args?: JsonObject
  /** Requests a realtime conversation instead; the answer's result may contain a client secret, which must not be stored, shown or logged. */
  readonly realtime?: boolean
  /** Called for each part of the answer before its end. An error that it throws ends the call. */
  readonly onPartial?: (part: IntercomEventData) => void
  /** Ends the call, which then rejects with the signal's reason. The agent is not notified. */
  readonly signal?: AbortSignal
}

const optionNames: OptionNames<IntercomQuestion> = { to: true, from: true, text: true, tool: true, args: true, realtime: true, onPartial: true, signal: true }

/** Asks an agent as some caller, and waits for the answer. */
export async function ask(caller: WorldClient, question: IntercomQuestion, life: AbortSignal): Promise<IntercomEventData> {
  checkOptions('ask', question, optionNames)
  const ending = new AbortController()
  const unlink = linked(ending, life, question.signal)
  try {
    const { command, seq } = await commandOf(caller, question, ending.signal)
    return await new Asking(caller, question, command, ending).answer(seq)
  } finally {
    unlink()
    ending.abort(new Error('the question was answered'))
  }
}

/** Returns the command of a question, and a position in the log before it, if the host numbers its events. */
async function commandOf(caller: WorldClient, question: IntercomQuestion, signal: AbortSignal): Promise<{ command: IntercomCommand; seq: number | undefined }> {
  const { text, tool, args } = question
  if (tool === undefined && question.realtime !== true && isBlank(text ?? '')) throw new OptionError('a question needs text or a tool')
  const toPlayerId = normalizeAgentId(question.to)
  if (isBlank(question.to)) throw new OptionError('the id of the agent in `to` is empty: set its playerId')
  const { worldMap, seq } = await caller.snapshot({ signal })
  const command = {
    requestId: randomText(),
    mainNodeId: ownerOf(worldMap, toPlayerId),
    fromPlayerId: question.from ?? HUMAN_LABEL,
    toPlayerId,
    kind: tool !== undefined ? 'assist' as const : question.realtime === true ? 'realtime' as const : 'chat' as const,
    ...defined({ toolName: tool, args, text }),
  }
  return { command, seq }
}

/** Returns the owner of an agent on the map. */
function ownerOf(worldMap: WorldMap, agentId: string): string {
  for (const row of worldMap.occupants) {
    if (row.kind === 'agent' && row.agentId === agentId) return row.nodeId
  }
  throw new PlayError({ code: 'player_unknown', status: 400, message: `the agent ${agentId} is not on the map` })
}

/** Waits for the answer to one command. */
class Asking {
  #opened = false
  #sent = false

  constructor(
    readonly caller: WorldClient,
    readonly question: IntercomQuestion,
    readonly command: IntercomCommand,
    readonly ending: AbortController,
  ) {}

  /**
   * Sends the command after the stream has opened, and reads the stream until the answer. A stream that opens later begins
   * at a position before the command if the host numbers its events, so that no answer is missed.
   */
  async answer(seq: number | undefined): Promise<IntercomEventData> {
    const { signal } = this.ending
    const stream = new Stream(this.caller.transport, defined({ inline: false, signal, after: seq }))
    const late = setTimeout(() => { this.#send() }, headersTimeoutMs)
    try {
      for (;;) {
        const received = await stream.next()
        if (received === undefined) throw reasonOf(signal)
        if (received.type === 'open') this.#open(received.resumes)
        if (received.type === 'lost' && isFinal(received.error)) throw received.error
        const answer = received.type === 'event' ? this.#take(received.event) : undefined
        if (answer !== undefined) return answer
      }
    } finally {
      clearTimeout(late)
      stream.close()
    }
  }

  /** Handles an open connection. If a later connection does not resume, the events in between were missed. */
  #open(resumes: boolean): void {
    if (this.#opened && !resumes) throw new GapError('events were missed: the answer may be among them')
    this.#opened = true
    this.#send()
  }

  /** Sends the command, once. A refusal ends the wait for an answer. */
  #send(): void {
    if (this.#sent) return
    this.#sent = true
    this.caller.intercomCommand(this.command, { ifAnswering: true, signal: this.ending.signal }).catch((error: unknown) => {
      this.ending.abort(error)
    })
  }

  /** Returns the answer if the event completes it. */
  #take(event: WorldEvent): IntercomEventData | undefined {
    if (event.kind === 'session:reset') throw new Error('the world started a new session, which does not know the question: ask again')
    if (event.kind === 'session:resync') throw new GapError('events were missed: the answer may be among them')
    if (!isEvent(event, 'world:intercom') || event.data.requestId !== this.command.requestId) return undefined
    const { data } = event
    if (data.status === 'stream') this.question.onPartial?.(data)
    if (data.status === 'failed') throw new AgentFailedError(data)
    return data.status === 'completed' ? data : undefined
  }
}
