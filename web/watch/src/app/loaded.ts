import { useEffect, useState } from 'preact/hooks'

/**
 * Returns a part of the page that is loaded on demand; undefined until it is loaded. If it cannot be loaded,
 * for example because the host has a newer page by now, `failed` is called, once for each request.
 */
export function useLoaded<Part>(wanted: boolean, load: () => Promise<Part>, failed: () => void): Part | undefined {
  const [loaded, put] = useState<{ readonly part: Part } | undefined>(undefined)
  useEffect(() => {
    if (!wanted || loaded !== undefined) return undefined
    let gone = false
    load().then((part) => { if (!gone) put({ part }) }, () => { if (!gone) failed() })
    return () => { gone = true }
  }, [wanted, loaded])
  return loaded?.part
}
