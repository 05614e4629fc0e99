import { limits } from '@playctl/sdk'

/** How long a stream may be silent: 1.3 times the silence after which a host sends a comment. */
export const silenceMs = 1300 * limits.maxStreamSilenceSeconds

/** A person waits: the page retries sooner than other clients. */
export const reconnect = { baseMs: 500, maxMs: 10_000 }
