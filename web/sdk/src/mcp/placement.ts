import { asError, reportTo } from '../protocol/callback.js'
import { OptionError } from '../protocol/errors.js'
import type { Mcp } from '../world/placements.js'
import type { RemotePlayWorld } from '../world/remote.js'
import type { McpClient } from './client.js'

/** The options of `placeMcp`. */
export interface PlacementOptions extends Partial<Mcp> {
  /** Called for errors; they are printed unless it is given. */
  readonly onError?: (error: Error) => void | Promise<void>
}

/** An MCP server that is on the map while its client is connected. */
export interface McpPlacement {
  /** The row's id in the session in which it was registered. */
  readonly id: string
  /** Removes the server from the map; the client stays connected. May be called again. */
  close(): Promise<void>
}

/**
 * Puts an MCP server on the map and keeps it there, also in a new session, until its client's connection ends, the
 * placement is closed or the program ends with `close`. The row has the server's own name by default, and `url` if it is given.
 */
export async function placeMcp(world: Pick<RemotePlayWorld, 'registerMcp' | 'unregisterMcp'>, client: McpClient, options: PlacementOptions = {}): Promise<McpPlacement> {
  const { url, onError, name = client.getServerVersion()?.name } = options
  if (name === undefined) throw new OptionError('the MCP client is not connected: connect it first')
  const id = await world.registerMcp({ name, ...(url === undefined ? {} : { url }) })
  const before = client.onclose
  const onClose = (): void => {
    before?.call(client)
    close().catch((error: unknown) => { reportTo(onError, asError(error)) })
  }
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    closing ??= world.unregisterMcp(id).then(() => {
      // A handler that has been set since then stays.
      if (client.onclose === onClose) client.onclose = before
    }, (error: unknown) => {
      // The next call tries again.
      closing = undefined
      throw error
    })
    return closing
  }
  client.onclose = onClose
  return { id, close }
}
