import { ASSIST_TOOL_PREFIX, type AgentRow, type JsonObject } from '@playctl/sdk'
import { clamp } from '../feed/entry.js'

/** A tool that an agent offers to people. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  /** A JSON Schema; undefined for a tool that is only named and accepts anything. */
  readonly parameters: JsonObject | undefined
}

/** Returns the tools for people: first those with descriptions, then those with only a name. */
export function assistToolsOf({ assistTools = [], assistToolNames }: Pick<AgentRow, 'assistTools' | 'assistToolNames'>): readonly OfferedTool[] {
  const described = new Set(assistTools.map((tool) => tool.name))
  const named = assistToolNames.filter((name) => !described.has(name))
  return [...assistTools, ...named.map((name) => ({ name, description: '', parameters: undefined }))]
}

/** Returns a tool's name for people: assist_plan_trip is "Plan trip". */
export function titleOf({ name }: OfferedTool): string {
  const plain = name.startsWith(ASSIST_TOOL_PREFIX) ? name.slice(ASSIST_TOOL_PREFIX.length) : name
  const words = clamp(plain.replaceAll('_', ' ').trim(), 80)
  return words === '' ? name : words.charAt(0).toLocaleUpperCase() + words.slice(1)
}
