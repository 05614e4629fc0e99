import { useEffect, useState } from 'preact/hooks'

/** Returns the time, updated after this many milliseconds; undefined stops the updates. */
export function useNow(every: number | undefined): number {
  const [now, look] = useState(Date.now())
  useEffect(() => {
    if (every === undefined) return undefined
    const see = (): void => { look(Date.now()) }
    see()
    const timer = setInterval(see, every)
    return () => { clearInterval(timer) }
  }, [every])
  return now
}
