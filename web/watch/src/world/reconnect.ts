/** A host sends a comment after 15 s of silence: 1.3 times that without a byte is a lost connection. */
export const silenceMs = 19_500

/** A person waits: the page retries sooner than other clients. */
export const reconnect = { baseMs: 500, maxMs: 10_000 }
