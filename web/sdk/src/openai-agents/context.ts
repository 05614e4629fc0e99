import { AsyncLocalStorage } from 'node:async_hooks'

/** Marks runs that answer a question from the world; their journeys are recorded without a trace. */
export const answering = new AsyncLocalStorage<true>()
