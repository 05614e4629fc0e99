import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useNow } from '../app/now.js'
import { text } from '../text/text.js'
import { took } from '../text/times.js'
import type { WorldStore } from '../world/store.js'

/** After how many milliseconds the waiting time is shown, and how often, in milliseconds, the host is asked whether a program answers for the agent. */
const shown = 3000
const doubted = 8000

/** Shows how long a question has waited for its answer, and whether no program answers for the agent. */
export function Waiting({ store, agentId, since }: { store: WorldStore, agentId: string, since: number }): VNode | null {
  const now = useNow(1000)
  const [nobody, say] = useState(false)
  const waited = now - since
  const asked = Math.floor(waited / doubted)
  useEffect(() => {
    if (asked < 1) return
    store.client.listAnswering([agentId]).then(({ agents: [agent] }) => { say(agent?.answering === 'no') }, () => {
      // Not every host knows: then nothing is shown about it.
    })
  }, [store, agentId, asked])
  if (waited < shown) return null
  return <>{' · '}{took(Math.floor(waited / 1000) * 1000)}{nobody && <span class="wrong"> {text('chat.nobody')}</span>}</>
}
