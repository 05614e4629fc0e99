/** Texts that may be a JSON object or array. */
const likeJson = /^\s*[{[][^]*[}\]]\s*$/u

/** Reports whether a text is a JSON object or array. */
export function isJson(text: string): boolean {
  if (!likeJson.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns a valid JSON text with line breaks and indentation. Its values stay as they are written: a parsed number may be another. */
export function indented(json: string): string {
  let depth = 0
  const line = (): string => `\n${'  '.repeat(Math.min(depth, 40))}`
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+|([{[])\s*([}\]])?|([}\]])|([,:])/gu, (_, text?: string, open?: string, empty?: string, close?: string, sign?: string) => {
    if (text !== undefined) return text
    if (open !== undefined) {
      if (empty !== undefined) return open + empty
      depth++
      return open + line()
    }
    if (close !== undefined) {
      depth--
      return line() + close
    }
    return sign === undefined ? '' : sign === ',' ? sign + line() : ': '
  })
}
