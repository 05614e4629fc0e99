import type { NodeCredentials } from '../credentials/resolve.js'
import type { Retry } from '../http/options.js'
import type { OptionNames } from '../protocol/options.js'

/** The options of a `RemotePlayWorld`. */
export interface RemotePlayWorldOptions {
  /** The host's address, such as `http://127.0.0.1:7420`. */
  readonly baseUrl: string
  /** The account's API key; `none` for an account that has none, which is then not sent. A secret. */
  readonly apiKey: string
  /** The account's main node. A program that has only credentials of its agents may omit it. */
  readonly mainNodeCredentials?: NodeCredentials
  /** The older name of `mainNodeCredentials`; set one of them. */
  readonly nodeCredentials?: NodeCredentials
  /** Credentials of agent nodes by the names that `agent` is called with; others follow from the main node's. */
  readonly agentCredentials?: Readonly<Record<string, NodeCredentials>>
  /** The service name in the paths; `play` by default. */
  readonly service?: string
  /** How long one attempt of a call may take, in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number
  /** How often and when to retry; for about a minute by default. */
  readonly retry?: Retry
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch
  /** Called with the text of each warning, such as that an agent has no credentials of its own; warnings are printed unless it is given. Errors that it throws are dropped. */
  readonly onWarning?: (text: string) => void | Promise<void>
}

/** The names of the options of a `RemotePlayWorld`. @internal */
export const worldOptions: OptionNames<RemotePlayWorldOptions> = {
  baseUrl: true, apiKey: true, mainNodeCredentials: true, nodeCredentials: true, agentCredentials: true, service: true, timeoutMs: true, retry: true, fetch: true, onWarning: true,
}
