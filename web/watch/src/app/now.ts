import { useEffect, useState } from 'preact/hooks'

/** The time, looked at again after so many milliseconds; undefined leaves it as it was. */
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
