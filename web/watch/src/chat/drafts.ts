import type { WorldStore } from '../world/store.js'

/** The number of agents with a stored draft; the oldest draft is removed first. */
const most = 50

const drafts = new WeakMap<WorldStore, Map<string, string>>()

/** Returns the draft of a message to an agent. */
export function draftTo(store: WorldStore, key: string): string {
  return drafts.get(store)?.get(key) ?? ''
}

/** Stores the draft of a message to an agent while its form is not shown; an empty text removes it. */
export function keepDraft(store: WorldStore, key: string, text: string): void {
  const kept = drafts.get(store) ?? new Map<string, string>()
  drafts.set(store, kept)
  kept.delete(key)
  if (text !== '') kept.set(key, text)
  for (const oldest of kept.keys()) {
    if (kept.size <= most) break
    kept.delete(oldest)
  }
}
