/** Where the page is served from, and so where its host's routes are. */
export interface Place {
  /** The path before the service name, mostly empty. */
  readonly prefix: string
  /** The service name in the paths: play, or that of an older service. */
  readonly service: string
}

/** Reads a page's path: /play/watch, below a prefix where a proxy has one. */
export function placeOf(path: string): Place {
  const found = /^(.*)\/([^/]+)\/watch\/?$/.exec(path)
  return { prefix: found?.[1] ?? '', service: found?.[2] ?? 'play' }
}
