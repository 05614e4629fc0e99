import type { NodeCredentials } from '../credentials/resolve.js'
import { readPrivate } from '../world/account_file.js'
import { parseJson } from '../json/parse.js'
import { asObject, asText } from '../json/read.js'
import { OptionError } from '../protocol/errors.js'

/** Returns the credentials that the agent-play CLI stores in the home folder; undefined if there are none, as in a browser. */
export async function ownFile(): Promise<{ readonly server: string; readonly main: NodeCredentials } | undefined> {
  const file = await readPrivate((home) => `${home}/.agent-play/credentials.json`, { shared: true })
  if (file === undefined) return undefined
  let content
  try {
    content = asObject(parseJson(file.text))
  } catch {
    content = undefined // no error message may contain the file's content
  }
  const [server, nodeId, phrase] = [asText(content?.serverUrl), asText(content?.nodeId), asText(content?.passw)]
  if (server === undefined || nodeId === undefined || phrase === undefined) {
    throw new OptionError(`${file.path} is not a credentials file of agent-play: it lacks serverUrl, nodeId or passw`)
  }
  return { server, main: { nodeId, phrase } }
}
