import type { WorldStore } from '../world/store.js'

/** Of so many agents a draft is kept; the oldest goes first. */
const most = 50

const drafts = new WeakMap<WorldStore, Map<string, string>>()

/** What is half written to an agent. */
export function draftTo(store: WorldStore, key: string): string {
  return drafts.get(store)?.get(key) ?? ''
}

/** Keeps what is half written to an agent while its form is not shown; nothing for an empty text. */
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
