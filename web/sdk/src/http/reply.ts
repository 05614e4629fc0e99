import { asArray, asObject, asText, member } from '../json/read.js'
import { ReplyError } from '../protocol/errors.js'
import { type Call, type Reply, routeOf } from './call.js'

/**
 * Returns a reply with its type after a look at the members that callers cannot do
 * without: each is a text, a list or an object as `needs` says.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the route's type
export function typed<T>(call: Call, reply: Reply, needs: Readonly<Record<string, 'text' | 'list' | 'object' | 'any'>>): T {
  const object = asObject(reply.value)
  if (object === undefined) throw new ReplyError(routeOf(call), 'it is not a JSON object')
  for (const [name, kind] of Object.entries(needs)) {
    const value = member(object, name)
    const good = { text: asText, list: asArray, object: asObject, any: (v: unknown) => v }[kind](value) !== undefined
    if (!good) throw new ReplyError(routeOf(call), `${name} is missing or has the wrong type`)
  }
  return object as T
}
