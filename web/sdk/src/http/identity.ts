import { headers as names } from '../protocol/contract.js'
import { OptionError } from '../protocol/errors.js'
import { normalizeNodeId } from '../protocol/text.js'
import type { CallerCredentials, ClientOptions } from './options.js'

/** Keeps redaction from tearing words apart for the sake of a secret that is as good as none. */
const shortestSecret = 8

/**
 * The caller of a client. Its secrets are in private fields, so that printing it, or an
 * object that contains it, shows none.
 */
export class Identity {
  readonly #headers: Readonly<Record<string, string>>
  readonly #secrets: readonly string[]
  readonly #pass: () => string | undefined
  /** The id of the node that calls; empty if none does. */
  readonly nodeId: string
  /** Whether the browser's cookie authenticates the caller. */
  readonly cookie: boolean

  /** Creates the identity of some credentials; incomplete ones are an `OptionError`. */
  constructor(credentials: CallerCredentials | undefined, apiKey?: string, registrationToken?: string) {
    const headers: Record<string, string> = {}
    const secrets: string[] = []
    const show = (name: string, value: string | undefined, prefix = '') => {
      if (!value) return
      mustFit(name, value)
      headers[name] = prefix + value
      secrets.push(value)
    }
    const node = credentials !== undefined && 'nodeId' in credentials ? credentials : undefined
    this.nodeId = node === undefined ? '' : normalizeNodeId(node.nodeId)
    if (node !== undefined) {
      if (this.nodeId === '' || !node.passwHash) throw new OptionError('node credentials need both nodeId and passwHash')
      mustFit(names.nodeId, this.nodeId)
      headers[names.nodeId] = this.nodeId
      show(names.nodePassw, node.passwHash)
    }
    if (credentials !== undefined && 'adminToken' in credentials) show('authorization', credentials.adminToken, 'Bearer ')
    show(names.apiKey, apiKey)
    show(names.registrationToken, registrationToken)
    const pass = credentials !== undefined && 'pass' in credentials ? credentials.pass : undefined
    this.#pass = typeof pass === 'function' ? pass : () => pass
    this.cookie = credentials !== undefined && 'cookie' in credentials
    this.#headers = headers
    this.#secrets = secrets.filter((secret) => secret.length >= shortestSecret)
  }

  /** The identity that some options describe. */
  static of(options: ClientOptions): Identity {
    return new Identity(options.credentials, options.apiKey, options.registrationToken)
  }

  /** Sets the caller's credentials in the headers of a request. */
  show(headers: Headers): void {
    for (const [name, value] of Object.entries(this.#headers)) headers.set(name, value)
    const pass = this.#pass()
    if (!pass) return
    mustFit(names.watchPass, pass)
    headers.set(names.watchPass, pass)
  }

  /** Replaces the caller's own secrets in a text that a host wrote. */
  scrub(text: string): string {
    const pass = this.#pass() ?? ''
    return [...this.#secrets, ...(pass.length >= shortestSecret ? [pass] : [])].reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  }
}

/** Refuses a value that cannot be sent as a header, such as a token of two lines: the platform's own error would show it. */
function mustFit(name: string, value: string): void {
  if (/^[\t\x20-\x7e\x80-\xff]*$/u.test(value.trim())) return
  throw new OptionError(`what is to be sent as ${name} has a line break, or another character that no header may have`)
}
