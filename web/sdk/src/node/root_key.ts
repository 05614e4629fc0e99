import { readFile } from 'node:fs/promises'
import { OptionError } from '../protocol/errors.js'
import { isHexDigest } from '../protocol/text.js'

/** Reads the root key from a file with its 64 hex digits. The file's content is never in the error. */
export async function loadRootKey(path: string): Promise<string> {
  const key = (await readFile(path, 'utf8')).trim().toLowerCase()
  if (!isHexDigest(key)) throw new OptionError(`${path} is not a root key file: it must hold exactly 64 hex digits`)
  return key
}
