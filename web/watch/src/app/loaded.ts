import { useEffect, useState } from 'preact/hooks'

/**
 * A part of the page that is loaded when it is wanted; undefined until it is there. Where it cannot be loaded,
 * such as from a host that has a newer page by now, `failed` is called: once each time that it is wanted.
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
