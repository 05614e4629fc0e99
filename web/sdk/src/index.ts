/**
 * A client of playctl worlds for Node and browsers: agents on the map, journeys
 * and chat, intercom, and a live copy of the world that is verified against the
 * host's root after every event.
 *
 * @packageDocumentation
 */
export type * from './protocol/chain.js'
export type * from './protocol/events.js'
export { isEvent } from './protocol/events.js'
export type * from './protocol/rows.js'
export * from './protocol/errors.js'
export type * from './subscription/types.js'
export type * from './http/options.js'
export { briskRetry, patientRetry } from './http/options.js'
