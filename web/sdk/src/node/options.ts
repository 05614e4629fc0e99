import type { NodeCredentials } from '../credentials/resolve.js'

/** The options of a `PlayWorld`. None is required: by default the world is in memory, with an account of its own. */
export interface PlayWorldOptions {
  /** The folder in which the world is kept; in memory only unless it is given. */
  readonly repository?: string
  /** Where each public event is posted to, with `/events` added. May hold a password. */
  readonly playApiBase?: string
  /** The playctl program; else that of the environment variable PLAYCTL_BINARY, else `playctl` in the PATH. */
  readonly binary?: string
  /** The address to listen on; a free port of 127.0.0.1 unless it is given. */
  readonly listen?: string
  /** Runs the world without nodes and keys: anybody who reaches it may do anything. */
  readonly noRepository?: boolean
  /** Further flags of `playctl serve`, such as `['--max-occupants', '500']`. Never a secret: others can read a process's arguments. */
  readonly flags?: readonly string[]
  /**
   * The account that the world's own calls are made as; a new one unless it is
   * given. Give the same each time if the world is kept in a folder.
   */
  readonly mainNodeCredentials?: NodeCredentials
  /** The account's API key; without it an account that exists gets a new one. */
  readonly apiKey?: string
  /** Called with each line of the host's log. What it throws is dropped. */
  readonly onLog?: (line: string) => void
}
