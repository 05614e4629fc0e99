import type fs from 'node:fs'
import { deriveNodeIdFromMaterial, isPasswHash } from '../credentials/derive.js'
import { asArray, asObject, asText, defined } from '../json/read.js'
import { OptionError } from '../protocol/errors.js'
import { normalizeNodeId } from '../protocol/text.js'
import { currentProcess, withoutMark } from '../world/account_file.js'

/** An agent node in a credentials file. `passw` is its phrase, a secret. */
export interface AgentPlayAgentNodeEntry {
  nodeId: string
  passw: string
  createdAt: string
}

/** The credentials file of the agent-play CLI. `passw` is the main node's phrase, a secret. */
export interface AgentPlayCredentialsFile {
  serverUrl: string
  nodeId: string
  passw: string
  secretFilePath?: string
  agentNodes?: AgentPlayAgentNodeEntry[]
}

/** Returns the path of the credentials file: `AGENT_PLAY_CREDENTIALS_PATH`, else `.agent-play/credentials.json` in the home folder. */
export function resolveAgentPlayCredentialsPath(): string {
  const running = currentProcess()
  const named = running?.env.AGENT_PLAY_CREDENTIALS_PATH?.trim()
  if (named) return named
  return `${running?.getBuiltinModule?.('node:os').homedir() ?? ''}/.agent-play/credentials.json`
}

/** Returns the content of a credentials file; null if it lacks an address, an id or a phrase. */
export function parseAgentPlayCredentialsJson(json: unknown): AgentPlayCredentialsFile | null {
  const content = asObject(json)
  const [serverUrl, nodeId, passw] = [asText(content?.serverUrl), asText(content?.nodeId), asText(content?.passw)]
  if (serverUrl === undefined || nodeId === undefined || passw === undefined) return null
  return defined({
    serverUrl: serverUrl.replace(/\/$/u, ''), nodeId, passw,
    secretFilePath: asText(content?.secretFilePath), agentNodes: asArray(content?.agentNodes)?.flatMap(agentNodeOf),
  })
}

function agentNodeOf(entry: unknown): AgentPlayAgentNodeEntry[] {
  const given = asObject(entry)
  const [nodeId, passw, createdAt] = [asText(given?.nodeId), asText(given?.passw), asText(given?.createdAt)]
  return nodeId === undefined || passw === undefined || createdAt === undefined ? [] : [{ nodeId, passw, createdAt }]
}

/** Reads a credentials file; null if there is none that can be read, as in a browser. */
export function loadAgentPlayCredentialsFileFromPathSync(filePath: string): AgentPlayCredentialsFile | null {
  try {
    return parseAgentPlayCredentialsJson(JSON.parse(withoutMark(fileSystem().readFileSync(filePath, 'utf8'))))
  } catch {
    return null
  }
}

/** Reads a credentials file; null if there is none that can be read, as in a browser. */
export async function loadAgentPlayCredentialsFileFromPath(filePath: string): Promise<AgentPlayCredentialsFile | null> {
  try {
    return parseAgentPlayCredentialsJson(JSON.parse(withoutMark(await fileSystem().promises.readFile(filePath, 'utf8'))))
  } catch {
    return null
  }
}

/** Returns the credentials file of this account; undefined if there is none. One that cannot be read is an `OptionError`. @internal */
export function ownFile(): AgentPlayCredentialsFile | undefined {
  const path = resolveAgentPlayCredentialsPath()
  const file = loadAgentPlayCredentialsFileFromPathSync(path) ?? undefined
  if (file === undefined && currentProcess()?.getBuiltinModule?.('node:fs').existsSync(path) === true) {
    throw new OptionError(`${path} is not a credentials file of agent-play: it cannot be read, or lacks serverUrl, nodeId or passw`)
  }
  return file
}

/** Returns the root key in a file, by default `.root` in the working folder. It throws if the file cannot be read. */
export function loadRootKey(rootFilePath?: string): string {
  return fileSystem().readFileSync(rootFilePath?.trim() ? rootFilePath : '.root', 'utf8').trim().toLowerCase()
}

function fileSystem(): typeof fs {
  const found = currentProcess()?.getBuiltinModule?.('node:fs')
  if (found === undefined) throw new OptionError('there is no file system here')
  return found
}

/** Returns the credentials of a phrase's hash at hosts with a root key. */
export function nodeCredentialFromPasswHash({ passwHash, rootKey }: { readonly passwHash: string; readonly rootKey: string }): { passwHash: string; nodeId: string } {
  return { passwHash, nodeId: deriveNodeIdFromMaterial({ material: passwHash, rootKey }) }
}

/** Reports whether a node's id was derived from a phrase's hash and a root key. */
export function verifyStoredNodeCredential({ nodeId, passwHash, rootKey }: { readonly nodeId: string; readonly passwHash: string; readonly rootKey: string }): boolean {
  return isPasswHash(passwHash) && deriveNodeIdFromMaterial({ material: passwHash, rootKey }) === normalizeNodeId(nodeId)
}
