/** The marks of common platforms; other platforms have letters of their names. */
const known: ReadonlyMap<string, readonly [letters: string, tone: Tone]> = new Map([
  ['ai-sdk', ['AI', 'ink']], ['claude-agent-sdk', ['CA', 'roof']], ['go', ['Go', 'sky']], ['langchain', ['LC', 'leaf']], ['mcp', ['M', 'lamp']],
  ['openai-agents', ['OA', 'sky']], ['opentelemetry', ['OT', 'lamp']], ['playctl', ['P', 'roof']], ['python', ['Py', 'leaf']], ['typescript', ['TS', 'sky']],
])

const tones = ['roof', 'leaf', 'lamp', 'sky', 'ink'] as const
/** A color of the page. */
export type Tone = typeof tones[number]

/** Returns the mark of a platform, the same for each of its agents: one or two letters, and a color; undefined without a name. */
export function markOf(platform: string): { readonly letters: string, readonly tone: Tone } | undefined {
  const name = platform.trim().toLowerCase()
  const [letters, tone] = known.get(name) ?? [initials(name), tones[sum(name) % tones.length] ?? 'ink']
  return letters === '' ? undefined : { letters, tone }
}

/** Returns the first letters of two words, or of the only one. */
function initials(name: string): string {
  const words = name.slice(0, 200).match(/[\p{L}\p{N}]+/gu) ?? []
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => first(word)) : [first(words[0] ?? ''), ...Array.from(words[0] ?? '').slice(1, 2)]
  return letters.join('')
}

const first = (word: string): string => (Array.from(word)[0] ?? '').toLocaleUpperCase('en')

function sum(name: string): number {
  let total = 0
  for (const letter of name.slice(0, 200)) total = (total * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return total
}
