import { useEffect, useReducer, useState } from 'preact/hooks'
import { slowAfter } from './slow.js'

/** Returns the time, updated after this many milliseconds; undefined stops the updates. */
export function useNow(every: number | undefined): number {
  const [, look] = useReducer((turn: number) => turn + 1, 0)
  useEffect(() => {
    if (every === undefined) return undefined
    const timer = setInterval(look, every, undefined)
    return () => { clearInterval(timer) }
  }, [every])
  return Date.now()
}

/** Reports whether a wait has taken so long that the page should say so. */
export function useSlow(waits: boolean): boolean {
  const [slow, become] = useState(false)
  useEffect(() => {
    become(false)
    if (!waits) return undefined
    const timer = setTimeout(() => { become(true) }, slowAfter)
    return () => { clearTimeout(timer) }
  }, [waits])
  return waits && slow
}
