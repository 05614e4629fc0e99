/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The parts of the client for Node only: a world of the program's own, and root
 * key files.
 *
 * @packageDocumentation
 */
export type { PlayWorldOptions } from './options.js'
export { PlayWorld } from './playworld.js'
export { loadRootKey } from './root_key.js'
