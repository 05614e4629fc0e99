import { reasonOf, setTimer, whenEnded } from '../http/wait.js'
import { asObject, defined } from '../json/read.js'
import { AnsweredError, PlayError, TimeoutError, ToolError, TookTooLongError } from '../protocol/errors.js'
import { type IntercomCommand, type IntercomResponse, limits } from '../protocol/contract.js'
import { asError, reportTo } from '../protocol/callback.js'
import type { IntercomAnswer, IntercomCall, IntercomOptions, Receiver } from './intercom_types.js'

/** Less than the host's own limit, so that a command that waited for others can still be answered. */
const defaultTimeoutMs = (limits.maxIntercomSilenceSeconds - 20) * 1000

/** The time limit for sending answers after a command has ended, including those already being sent. */
const lastAnswersMs = 3000

/** The message to the asker in place of an error that is for the developer. */
const neutralFailure = "something went wrong in the agent's program"

/** The longest error text in an answer, in characters. */
const maxFailure = 4096

/** The execution of one command. */
export class CommandRun<A extends Receiver = Receiver> {
  readonly #ending = new AbortController()
  #answered = false
  #finished = false

  constructor(
    readonly command: IntercomCommand,
    readonly agent: A,
    readonly options: IntercomOptions<A>,
  ) {}

  /** Ends the command; the asker gets the reason. */
  end(reason: Error): void {
    this.#ending.abort(reason)
  }

  /** Ends the command because it was already answered: by the host after its time limit, or by another program. */
  answered(): void {
    if (this.#finished) return
    this.#answered = true
    this.end(new AnsweredError('the command was already answered'))
  }

  /** Runs the executor and sends the answer, unless the command was already answered. Never rejects. */
  async carryOut(): Promise<void> {
    const limit = this.options.timeoutMs ?? defaultTimeoutMs
    const timer = setTimer(() => {
      this.end(new TookTooLongError(`the agent did not finish within ${limit / 1000} s`))
    }, limit)
    try {
      const outcome = await this.#execute()
      this.#finished = true
      // Sending the answer has its own time limit.
      clearTimeout(timer)
      if (!this.#answered) await this.#finish(outcome)
    } catch (error) {
      this.#report(asError(error))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns the answer, or an error if there is none. */
  async #execute(): Promise<IntercomAnswer | Error> {
    const { signal } = this.#ending
    const call: IntercomCall<A> = {
      command: this.command, agent: this.agent, signal,
      stream: (part) => {
        const sent = this.#stream(part)
        // An executor may not await the promise: its rejection must not end the program.
        sent.catch(() => undefined)
        return sent
      },
    }
    const ended = new Promise<Error>((resolve) => {
      const end = () => { resolve(reasonOf(signal)) }
      if (signal.aborted) end()
      else signal.addEventListener('abort', end, { once: true })
    })
    return Promise.race([this.#answer(call), ended])
  }

  async #stream(part: IntercomAnswer): Promise<void> {
    if (this.#finished || this.#ending.signal.aborted) throw reasonOf(this.#ending.signal)
    await this.#respond('stream', part)
  }

  async #answer(call: IntercomCall<A>): Promise<IntercomAnswer | Error> {
    try {
      if (call.signal.aborted) return reasonOf(call.signal)
      const answer = await this.options.execute(call)
      if (typeof answer === 'string') return { message: answer }
      if (answer.result !== undefined && asObject(answer.result) === undefined) return new Error("the agent's answer has a result that is not a JSON object")
      return answer
    } catch (error) {
      if (error instanceof ToolError || call.signal.aborted) return asError(error)
      this.#report(asError(error))
      return new Error(neutralFailure)
    }
  }

  #report(error: Error): void {
    const { onError } = this.options
    reportTo(onError === undefined ? undefined : (reported) => onError(reported, this.command), error)
  }

  async #finish(outcome: IntercomAnswer | Error): Promise<void> {
    if (outcome instanceof Error) {
      await this.#respond('failed', {}, failureText(outcome))
      return
    }
    try {
      await this.#respond('completed', outcome)
    } catch (error) {
      if (error instanceof PlayError && error.status === 400 && error.code !== 'request_unknown') {
        await this.#respond('failed', {}, `the agent's answer was not accepted: ${error.message}`)
      }
      throw error
    }
  }

  async #respond(status: IntercomResponse['status'], answer: IntercomAnswer, error?: string): Promise<void> {
    const { requestId, mainNodeId, fromPlayerId, toPlayerId, kind, toolName } = this.command
    const response: IntercomResponse = {
      requestId, mainNodeId, toPlayerId: fromPlayerId, fromPlayerId: toPlayerId, kind, status,
      ts: new Date().toISOString(),
      ...defined({ toolName, message: answer.message, result: answer.result, error }),
    }
    await this.#send(response)
  }

  /** Sends an answer. After the end of the command the time for it is limited. */
  async #send(response: IntercomResponse): Promise<void> {
    const { client } = this.agent
    const limited = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const undo = whenEnded(this.#ending.signal, () => {
      timer = setTimeout(() => { limited.abort(new TimeoutError(client.transport.host)) }, lastAnswersMs)
    })
    try {
      await client.intercomResponse(response, { signal: limited.signal })
    } finally {
      undo()
      clearTimeout(timer)
    }
  }
}

/** Returns an error's text in a form that a host accepts: not blank and not too long. */
function failureText(error: Error): string {
  // The encoder replaces lone surrogates, which have no UTF-8 form.
  const text = new TextDecoder().decode(new TextEncoder().encode(error.message.slice(0, maxFailure)))
  return text.trim() === '' ? 'the agent failed and gave no reason' : text
}
