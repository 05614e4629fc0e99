import type { NodeCredentials } from '../credentials/resolve.js'
import type { Retry } from '../http/options.js'

/** The options of a `RemotePlayWorld`. */
export interface RemotePlayWorldOptions {
  /** The host's address, such as `http://127.0.0.1:7420`. */
  readonly baseUrl: string
  /** The account's API key; `none` for an account that has none, which is then not sent. A secret. */
  readonly apiKey: string
  /** The account's main node. It may be left out by a program that has credentials of its agents only. */
  readonly mainNodeCredentials?: NodeCredentials
  /** The older name of `mainNodeCredentials`; set one of them. */
  readonly nodeCredentials?: NodeCredentials
  /** Credentials of agent nodes by the names that `agent` is called with; others follow from the main node's. */
  readonly agentCredentials?: Readonly<Record<string, NodeCredentials>>
  /** The service name in the paths; `play` unless it is given. */
  readonly service?: string
  /** How long one attempt of a call may take, in milliseconds; 30,000 unless it is given. */
  readonly timeoutMs?: number
  /** How often and when to retry; about a minute unless it is given. */
  readonly retry?: Retry
  /** Sends the requests; the global `fetch` unless it is given. */
  readonly fetch?: typeof globalThis.fetch
  /** Called with the text of each warning, such as that an agent has no credentials of its own; printed unless it is given. What it throws is dropped. */
  readonly onWarning?: (text: string) => void | Promise<void>
}
