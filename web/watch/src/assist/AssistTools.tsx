import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { JsonObject } from '@playctl/sdk'
import { clamp } from '../feed/entry.js'
import { useLoaded } from '../app/loaded.js'
import { text } from '../text/text.js'
import type { AgentThing } from '../world/things.js'
import type { WorldStore } from '../world/store.js'
import { assistToolsOf, titleOf, type OfferedTool } from './tools.js'

/** The tools that an agent offers to people, each with a form. */
export function AssistTools({ store, agent }: { store: WorldStore, agent: AgentThing }): VNode {
  const [open, setOpen] = useState<string | undefined>(undefined)
  const tools = assistToolsOf(agent)
  const may = store.scope.value === 'act'
  const form = useLoaded(open !== undefined, () => import('./AssistForm.js'), () => {
    setOpen(undefined)
    store.note.value = 'page.older'
  })
  const send = (tool: OfferedTool, args: JsonObject): void => {
    setOpen(undefined)
    void store.ask(agent, { toolName: tool.name, args })
  }
  return (
    <section aria-label={text('assist.title')}>
      <h3>{text('assist.title')}</h3>
      {tools.length === 0 && <p class="soft">{text('assist.none')}</p>}
      {tools.length > 0 && !may && <LookOnly />}
      <ul class="assists">{tools.map((tool) => (
        <li key={tool.name}>
          <button type="button" class="tool" disabled={!may} aria-expanded={open === tool.name} onClick={() => { setOpen(open === tool.name ? undefined : tool.name) }}>
            <bdi>{titleOf(tool)}</bdi>
          </button>
          {tool.description !== '' && <p class="soft" dir="auto">{clamp(tool.description, 300)}</p>}
          {may && open === tool.name && form !== undefined && <form.AssistForm tool={tool} title={titleOf(tool)} send={(args) => { send(tool, args) }} cancel={() => { setOpen(undefined) }} />}
        </li>
      ))}</ul>
    </section>
  )
}

/** States why the person may not ask, and how to get access. */
export function LookOnly(): VNode {
  return (
    <div class="note">
      <p><b>{text('assist.lookOnly')}</b></p>
      <p>{text('assist.lookOnlyWhy')}</p>
      <pre><code>playctl watch</code></pre>
    </div>
  )
}
