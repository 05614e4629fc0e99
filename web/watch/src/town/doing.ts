import { clean } from './prose.js'
import type { TownActivity } from './types.js'

/** Returns what an agent does, on one line: its text, and the tool that it uses unless the text names it; empty if it says neither. */
export function doingOf({ text = '', toolName = '' }: TownActivity): string {
  const said = clean(text, 200)
  const tool = clean(toolName, 128)
  return said === '' ? tool : tool === '' || said.includes(tool) ? said : `${said} (${tool})`
}
