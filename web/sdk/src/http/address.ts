import { OptionError } from '../protocol/errors.js'

/**
 * Checks a host's address and returns it without a trailing slash. The address
 * is not in the error, because it may contain a password.
 */
export function checkBaseUrl(text: string): string {
  let url
  try {
    url = new URL(text.trim())
  } catch {
    url = undefined
  }
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.search !== '' || url.hash !== '') {
    throw new OptionError('baseUrl must be http:// or https:// with a host name, such as http://127.0.0.1:7420')
  }
  if (url.username !== '' || url.password !== '') {
    throw new OptionError('baseUrl must not hold a user name or password: node credentials are sent in headers')
  }
  if (/\/(?:api\/[\w.~-]+(?:\/events)?|[\w.~-]+\/watch)\/*$/u.test(url.pathname)) {
    throw new OptionError('baseUrl is the address of a page or of a route: give that of the host alone, such as http://127.0.0.1:7420')
  }
  return url.origin + url.pathname.replace(/\/+$/u, '')
}

/** Reports whether credentials would cross a network in clear text: plain http to another machine. */
export function isExposed(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && hostname !== 'localhost' && hostname !== '[::1]' && !/^127\.\d+\.\d+\.\d+$/u.test(hostname)
}

/** Checks a service name, which is part of paths. */
export function checkService(name: string): string {
  if (!/^[\w.~-]+$/u.test(name)) throw new OptionError('service cannot be part of a path: use letters, digits and "-"')
  return name
}
