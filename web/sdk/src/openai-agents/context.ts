import { AsyncLocalStorage } from 'node:async_hooks'

/** Marks the runs that answer a question of the world, whose journeys are recorded without a trace. */
export const answering = new AsyncLocalStorage<true>()
