import { asArray, asObject } from '../json/read.js'
import { type Json, type JsonObject, requestFields } from '../protocol/contract.js'
import { OptionError } from '../protocol/errors.js'

/** The operation or route of a request, or the type of an object in one, whose fields the contract lists. */
export type RequestType = keyof typeof requestFields

/**
 * Builds a request from the fields that the contract lists for it. Another field is an `OptionError`: it may hold a
 * secret, and the host would ignore it. The objects inside a request are copied without their other fields.
 */
export function requestOf(type: RequestType, given: object): JsonObject {
  const copy = copyOf(type, given)
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !Object.hasOwn(copy, name)) throw new OptionError(`the request ${type} has no field ${JSON.stringify(name)}: remove it`)
  }
  return copy
}

function copyOf(type: RequestType, given: object): JsonObject {
  const copy: Record<string, Json> = {}
  for (const field of requestFields[type].split(' ')) {
    const [name = '', inner] = field.split(':')
    const value = Object.hasOwn(given, name) ? (given as Record<string, Json | undefined>)[name] : undefined
    if (value !== undefined) copy[name] = inner === undefined ? value : partOf(inner as RequestType, value)
  }
  return copy
}

/** Copies an object or a list of objects inside a request; any other value stays as it is, for the host to refuse. */
function partOf(type: RequestType, value: Json): Json {
  const list = asArray(value)
  if (list !== undefined) return list.map((item) => partOf(type, item))
  const object = asObject(value)
  return object === undefined ? value : copyOf(type, object)
}
