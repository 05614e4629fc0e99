import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { AgentThing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'
import { happened, joined, more, readOn, unread, type Story } from './story.js'

interface Reading {
  readonly story: Story
  readonly stage: 'reading' | 'there' | 'failed'
  /** Reads the next earlier part. */
  readonly read: () => Promise<Story | undefined>
  /** Reads all missing parts; undefined if they cannot be read. */
  readonly whole: () => Promise<Story | undefined>
}

/** Returns an agent's story, as far as it is read; new events are added. */
export function useStory(store: WorldStore, agent: AgentThing): Reading {
  const [story, set] = useState<Story>(unread)
  const [stage, go] = useState<'reading' | 'there' | 'failed'>('reading')
  // The current story, which is shown later: it grows while more of it is read.
  const latest = useRef(story)
  // Increases when the story starts again: replies to earlier requests then belong to another world.
  const turn = useRef(0)
  const read = useCallback(async (all = false) => {
    const began = turn.current
    go('reading')
    try {
      do {
        const found = await readOn(store.client, agent.id, latest.current)
        if (began !== turn.current) return undefined
        latest.current = joined(latest.current, found)
      } while (all && more(latest.current))
      set(latest.current)
      go('there')
      return latest.current
    } catch {
      if (began === turn.current) go('failed')
      return undefined
    }
  }, [store, agent.id])
  useEffect(() => {
    void read().then((first) => { store.wasActive(agent, first?.chapters.find((chapter) => chapter.is === 'line')?.at) })
    return store.listen((event) => {
      if (event.kind === 'session:resync' || event.kind === 'session:reset') {
        // The present story is of another world, or has a gap.
        turn.current += 1
        latest.current = unread
        void read()
      } else if (event.data.playerId === agent.id) {
        latest.current = happened(latest.current, event.kind, event.data, event.seq, event.at)
        set(latest.current)
      }
    })
  }, [store, agent.id, read])
  return {
    story, stage, read: () => read(), whole: async () => more(latest.current) ? read(true) : latest.current,
  }
}
