/** The path of the page, and thus of its host's routes. */
export interface Place {
  /** The path before the service name, mostly empty. */
  readonly prefix: string
  /** The service name in the paths: play, or the name of an older service. */
  readonly service: string
}

/** Parses a page's path: /play/watch, below a prefix if a proxy has one. */
export function placeOf(path: string): Place {
  const found = /^(.*)\/([^/]+)\/watch\/?$/.exec(path)
  return { prefix: found?.[1] ?? '', service: found?.[2] ?? 'play' }
}
