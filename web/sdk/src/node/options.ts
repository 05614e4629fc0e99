import type { NodeCredentials } from '../credentials/resolve.js'
import type { OptionNames } from '../protocol/options.js'

/** The options of a `PlayWorld`. None is required: by default the world is in memory, with an account of its own. */
export interface PlayWorldOptions {
  /** The folder in which the world is stored; in memory only by default. */
  readonly repository?: string
  /** The URL to which each public event is posted, with `/events` appended. It may contain a password. */
  readonly playApiBase?: string
  /** The playctl program; by default that of the environment variable PLAYCTL_BINARY, else `playctl` in the PATH. */
  readonly binary?: string
  /** The address to listen on; a free port of 127.0.0.1 by default. */
  readonly listen?: string
  /** Runs the world without nodes and keys: anybody who can reach it may do anything. */
  readonly noRepository?: boolean
  /** Further flags of `playctl serve`, such as `['--max-occupants', '500']`. Never a secret: others can read a process's arguments. */
  readonly flags?: readonly string[]
  /**
   * The account for the world's own calls; a new one by default. Set the same
   * account each time if the world is stored in a folder.
   */
  readonly mainNodeCredentials?: NodeCredentials
  /** The account's API key; without it an existing account gets a new one. */
  readonly apiKey?: string
  /** Called with each line of the host's log. Errors that it throws are dropped. */
  readonly onLog?: (line: string) => void
}

/** The names of the options of a `PlayWorld`. @internal */
export const playWorldOptions: OptionNames<PlayWorldOptions> = {
  repository: true, playApiBase: true, binary: true, listen: true, noRepository: true, flags: true, mainNodeCredentials: true, apiKey: true, onLog: true,
}
