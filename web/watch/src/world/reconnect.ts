/** A host comments on its silence every 15 s: 1.3 times that without a byte is a lost connection. */
export const silenceMs = 19_500

/** A person waits: the page tries sooner than other clients. */
export const reconnect = { baseMs: 500, maxMs: 10_000 }
