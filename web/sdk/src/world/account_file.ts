import type { NodeCredentials } from '../credentials/resolve.js'
import { parseJson } from '../json/parse.js'
import { asArray, asObject, asText, defined, member } from '../json/read.js'
import { checkBaseUrl } from '../http/address.js'
import type { JsonObject } from '../protocol/contract.js'
import { OptionError } from '../protocol/errors.js'

/** The known settings of the caller's account. */
export interface Known {
  readonly server?: string
  readonly service?: string
  readonly main?: NodeCredentials
  readonly apiKey?: string
  readonly context?: string
  readonly agents: Readonly<Record<string, NodeCredentials>>
}

/** Returns the current process; undefined in a browser. */
export function currentProcess(): (Omit<typeof process, 'getBuiltinModule'> & Partial<Pick<typeof process, 'getBuiltinModule'>>) | undefined {
  return (globalThis as { process?: typeof process }).process
}

/** Returns the settings in the environment variables of playctl. An empty variable counts as unset. */
export function environment(): Known {
  const read = (name: string) => {
    const value = currentProcess()?.env[`PLAYCTL_${name}`]
    return value === '' ? undefined : value
  }
  const nodeId = read('NODE_ID')
  const phrase = read('PHRASE')
  const passwHash = read('PASSW_HASH')
  if (nodeId !== undefined && phrase === undefined && passwHash === undefined) {
    throw new OptionError('PLAYCTL_NODE_ID needs PLAYCTL_PHRASE or PLAYCTL_PASSW_HASH too')
  }
  const secret = passwHash === undefined ? { phrase: phrase ?? '' } : { passwHash }
  return {
    ...defined({ server: read('SERVER'), service: read('SERVICE'), apiKey: read('API_KEY'), context: read('CONTEXT') }),
    ...(nodeId === undefined ? {} : { main: { nodeId, ...secret } }),
    agents: {},
  }
}

/** Returns the context that commands of playctl would use: the named one, else the one for the server, else the one in use. */
export async function fromFile(wanted: { readonly context?: string; readonly server?: string; readonly file?: string }): Promise<Known> {
  const file = await readFile(wanted.file)
  if (file === undefined) {
    if (wanted.context !== undefined) throw new OptionError(`there is no context ${JSON.stringify(wanted.context)}: no credentials file was found`)
    return { agents: {} }
  }
  const contexts = asObject(file.content.contexts) ?? {}
  const name = wanted.context ?? nameFor(contexts, asText(file.content.currentContext), wanted.server)
  if (name === undefined) {
    const names = Object.keys(contexts)
    if (wanted.server !== undefined || names.length === 0) return { agents: {} }
    throw new OptionError(`no context is in use: pick one with "playctl context use" (there are: ${names.join(', ')}), or set one with the option context or PLAYCTL_CONTEXT`)
  }
  const found = asObject(member(contexts, name))
  if (found === undefined) throw new OptionError(`the credentials file ${file.path} has no context ${JSON.stringify(name)}`)
  return known(found, name)
}

function nameFor(contexts: JsonObject, current: string | undefined, server: string | undefined): string | undefined {
  if (server === undefined) return current
  const address = checkBaseUrl(server)
  return [...(current === undefined ? [] : [current]), ...Object.keys(contexts)].find((name) => asText(member(asObject(contexts[name]), 'serverUrl')) === address)
}

function known(context: JsonObject, name: string): Known {
  const main = asObject(context.mainNode)
  const agents = (asArray(context.agents) ?? []).flatMap((agent) => {
    const label = asText(member(asObject(agent), 'label'))
    const node = nodeOf(asObject(agent))
    return label === undefined || node === undefined ? [] : [[label, node] as const]
  })
  const [server, service, apiKey] = [asText(context.serverUrl), asText(context.service), asText(member(main ?? context, 'apiKey'))]
  return defined({ context: name, server, service, apiKey, main: nodeOf(main), agents: Object.fromEntries(agents) })
}

function nodeOf(node: JsonObject | undefined): NodeCredentials | undefined {
  const nodeId = asText(member(node, 'nodeId'))
  const passwHash = asText(member(node, 'passwHash'))
  return nodeId === undefined || passwHash === undefined ? undefined : { nodeId, passwHash }
}

/** The largest size of a credentials file, in bytes. */
const longestFile = 8 << 20

/** The text of a file with secrets. */
interface PrivateFile {
  readonly path: string
  readonly text: string
}

async function readFile(given: string | undefined): Promise<{ readonly path: string; readonly content: JsonObject } | undefined> {
  const file = await readPrivate((home, environment) => given ?? pathIn(environment, home), given !== undefined)
  return file === undefined ? undefined : { path: file.path, content: contentOf(file.path, file.text) }
}

/** Reads a file with secrets; undefined if there is none, as in a browser, unless it is required. A file that others can read is refused. */
async function readPrivate(pathOf: (home: string, environment: NodeJS.ProcessEnv) => string | undefined, required: boolean): Promise<PrivateFile | undefined> {
  const running = currentProcess()
  // A bundle for a browser has no file system to look for.
  const fs = running?.getBuiltinModule?.('node:fs/promises')
  const os = running?.getBuiltinModule?.('node:os')
  const path = pathOf(os?.homedir() ?? '', running?.env ?? {})
  if (running === undefined || fs === undefined || path === undefined) return undefined
  try {
    const { mode, size } = await fs.stat(path)
    if (running.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new OptionError(`others on this machine can read the credentials file ${path}: run "chmod 600 ${path}", and make new nodes if somebody may have read it`)
    }
    if (size > longestFile) throw new OptionError(`the credentials file ${path} is too long: it may have ${longestFile} bytes`)
    return { path, text: withoutMark(await fs.readFile(path, 'utf8')) }
  } catch (error) {
    if (error instanceof OptionError) throw error
    if (!required && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new OptionError(`the credentials file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/** Returns a file's text without the byte order mark that editors on Windows write. @internal */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function contentOf(path: string, text: string): JsonObject {
  let content
  try {
    content = asObject(parseJson(text))
  } catch {
    content = undefined // no error message may contain the file's content
  }
  if (content?.version !== 1) throw new OptionError(`${path} is not a credentials file of this version of playctl`)
  return content
}

function pathIn(environment: NodeJS.ProcessEnv, home: string): string | undefined {
  const { PLAYCTL_CREDENTIALS_FILE: file, XDG_CONFIG_HOME: config } = environment
  if (file) return file
  if (config?.startsWith('/')) return `${config}/playctl/credentials.json`
  return home === '' ? undefined : `${home}/.config/playctl/credentials.json`
}
