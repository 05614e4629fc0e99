import { createNodeCredentialMaterial } from '../credentials/derive.js'
import { type NodeCredentials, resolveNode } from '../credentials/resolve.js'
import { isExposed } from '../http/address.js'
import { createClient } from '../http/client.js'
import { noRetry } from '../http/options.js'
import { defined } from '../json/read.js'
import { OptionError, PlayError } from '../protocol/errors.js'
import { warnTo } from '../protocol/callback.js'
import { type Known, environment, fromFile } from './account_file.js'
import { checkOptions } from '../protocol/options.js'
import { type RemotePlayWorldOptions, worldOptions } from './options.js'
import { RemotePlayWorld } from './remote.js'

/** The default address of "playctl serve". */
const defaultServer = 'http://127.0.0.1:7420'

/** The options of `connect`; all may be omitted. */
export interface ConnectOptions extends Partial<Omit<RemotePlayWorldOptions, 'nodeCredentials'>> {
  /** The name of a context of the credentials file; in Node, Bun and Deno only. */
  readonly context?: string
  /** The credentials file of playctl, unless the environment names it. */
  readonly credentialsFile?: string
}

/**
 * Connects to a world. Omitted options come from the environment (`PLAYCTL_SERVER`, `PLAYCTL_NODE_ID` with
 * `PLAYCTL_PHRASE` or `PLAYCTL_PASSW_HASH`, `PLAYCTL_API_KEY`, `PLAYCTL_CONTEXT`), then from the context in playctl's
 * credentials file that commands would use. Without an account, at a host on this machine with open registration, it
 * creates an account for this run. In a context with agents but no account, the world has these agents only. Rejects with an `OptionError` if there is no account, with the host's refusal or with an `UnreachableError`.
 */
export async function connect(options: ConnectOptions = {}): Promise<RemotePlayWorld> {
  const { nodeCredentials: _older, ...names } = worldOptions
  checkOptions('connect', options, { ...names, context: true, credentialsFile: true })
  const { context: _context, credentialsFile: _file, ...given } = options
  const known = await account(options)
  const baseUrl = options.baseUrl ?? known.server ?? defaultServer
  const service = options.service ?? known.service
  const at = { ...given, baseUrl, ...(service === undefined ? {} : { service }) }
  const own = options.mainNodeCredentials ?? known.main
  const agentCredentials = options.agentCredentials ?? (own === known.main ? known.agents : {})
  const isNew = own === undefined && Object.keys(agentCredentials).length === 0
  const { main, apiKey } = isNew ? await newAccount(at) : { main: own, apiKey: options.apiKey ?? (own === known.main ? known.apiKey : undefined) }
  const world = new RemotePlayWorld({
    ...at, agentCredentials, apiKey: apiKey ?? 'none', ...(main === undefined ? {} : { mainNodeCredentials: main }),
  })
  try {
    await world.connect()
  } catch (error) {
    await world.close()
    throw error
  }
  return world
}

/** Returns the account from the environment, otherwise from the credentials file. Credentials are used only for their own server. */
async function account(options: ConnectOptions): Promise<Known> {
  const here = environment()
  const server = options.baseUrl ?? here.server
  const kept = await fromFile({ ...(server === undefined ? {} : { server }), ...fileOf(options, here) })
  if (here.main === undefined) return { ...kept, ...here, agents: kept.agents }
  const same = kept.main !== undefined && kept.main.nodeId === here.main.nodeId
  const { main: _main, apiKey: _key, agents, ...where } = kept
  return { ...where, ...(same ? { apiKey: kept.apiKey } : {}), ...here, agents: same ? agents : {} }
}

function fileOf(options: ConnectOptions, here: Known): { context?: string; file?: string } {
  return defined({ context: options.context ?? here.context, file: options.credentialsFile })
}

/** Creates an account for this run, or returns none at a host that requires no account. */
async function newAccount(options: Omit<ConnectOptions, 'context'> & { readonly baseUrl: string }): Promise<{ main?: NodeCredentials; apiKey?: string }> {
  const { baseUrl, service, timeoutMs, retry, fetch } = options
  const nobody = createClient(defined({ baseUrl, retry: retry ?? noRetry, service, timeoutMs, fetch }))
  try {
    await nobody.session()
    return {}
  } catch (error) {
    if (!(error instanceof PlayError) || error.status !== 401) throw error
  }
  const local = new URL(baseUrl).protocol === 'http:' && !isExposed(baseUrl)
  const { rootKey, registration } = local ? await nobody.bootstrap().catch(() => ({ rootKey: '', registration: 'closed' })) : { rootKey: '', registration: 'closed' }
  if (registration !== 'open') {
    throw new OptionError(`there is no account for ${new URL(baseUrl).origin}: create one with "playctl create-main-node", which saves credentials that connect finds, ` +
      'or set PLAYCTL_NODE_ID, PLAYCTL_PHRASE and PLAYCTL_API_KEY, or the option mainNodeCredentials')
  }
  const node = await resolveNode(createNodeCredentialMaterial({ rootKey }))
  const { apiKey } = await nobody.createMainNode(node)
  warnTo(options.onWarning, `a temporary account was created for this run at ${new URL(baseUrl).origin}; "playctl create-main-node" creates a permanent one`)
  return defined({ main: node, apiKey })
}
