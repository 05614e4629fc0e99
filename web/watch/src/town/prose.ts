/** Preparing untrusted text for drawing. */

const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const SPACES = /[\s\u2028\u2029]+/gu
/** The first half of a character that was cut in two. */
const HALF = /[\ud800-\udbff]$/
const STRONG = /[\p{L}]/u
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Returns text on one line, without characters that reorder or control it, and no longer than a number of characters. */
export function clean(text: string, most = 400): string {
  // Cut before the expensive steps: a text may have megabytes.
  return text.slice(0, most * 4).replace(SPACES, ' ').replace(CONTROLS, '').trim().slice(0, most).replace(HALF, '')
}

/** Returns the direction of a text: that of its first letter (Unicode's bidirectional algorithm, rule P2). */
export function direction(text: string): 'ltr' | 'rtl' {
  const first = STRONG.exec(text)
  return first !== null && RIGHT_TO_LEFT.test(first[0]) ? 'rtl' : 'ltr'
}

/** Returns the width of a text in some font. */
export type Measure = (text: string) => number

/** Returns a text no wider than a limit: complete, or its beginning with an ellipsis. Characters are not split. */
export function fitted(text: string, limit: number, measure: Measure): string {
  if (measure(text) <= limit) return text
  const parts = Array.from(graphemes.segment(text), (part) => part.segment)
  let low = 0
  let high = parts.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (measure(`${parts.slice(0, middle).join('').trimEnd()}…`) <= limit) low = middle
    else high = middle - 1
  }
  return `${parts.slice(0, low).join('').trimEnd()}…`
}

/** Cuts a text like {@link fitted}, but a text of at most `least` characters is never cut, and a longer one is not cut shorter than that. */
export function shortened(text: string, limit: number, least: number, measure: Measure): string {
  if (measure(text) <= limit) return text
  const parts = Array.from(graphemes.segment(text), (part) => part.segment)
  if (parts.length <= least) return text
  const cut = fitted(text, limit, measure)
  const shortest = `${parts.slice(0, least - 1).join('').trimEnd()}…`
  return cut.length > shortest.length ? cut : shortest
}

/** Returns a text on a limited number of lines of a width, broken between words if possible; longer text ends with an ellipsis. */
export function wrapped(text: string, limit: number, most: number, measure: Measure): string[] {
  const lines: string[] = []
  let line = ''
  const pieces = piecesOf(text)
  while (pieces.length > 0) {
    const piece = pieces.shift() ?? ''
    if (measure((line + piece).trimEnd()) <= limit) {
      line += piece
      continue
    }
    if (lines.length === most - 1) {
      lines.push(fitted(line + piece + pieces.join(''), limit, measure))
      return lines
    }
    if (line.trim() === '') {
      const [head, ...tail] = broken(piece, limit, measure)
      line = head
      pieces.unshift(...tail)
    } else if (/^\p{P}+$/u.test(piece) && !line.endsWith(' ')) {
      // Punctuation moves to the next line with the word before it.
      const cut = line.lastIndexOf(' ')
      pieces.unshift(cut > 0 ? line.slice(cut + 1) + piece : piece)
      lines.push(cut > 0 ? line.slice(0, cut) : line)
      line = ''
      continue
    } else {
      pieces.unshift(piece)
    }
    lines.push(line.trim())
    line = ''
    while (pieces[0]?.trim() === '') pieces.shift()
  }
  if (line.trim() !== '') lines.push(line.trim())
  return lines
}

/** Returns the pieces between which a text may be broken. Most texts have Latin letters with spaces, which needs no dictionary. */
function piecesOf(text: string): string[] {
  return /^[\x20-\u024f\u2010-\u2026]*$/.test(text) ? text.match(/\s+|\S+/g) ?? [] : Array.from(words.segment(text), (word) => word.segment)
}

/** Splits a word that is too wide into a beginning that fits, and the rest. */
function broken(word: string, limit: number, measure: Measure): [string, ...string[]] {
  const parts = Array.from(graphemes.segment(word), (part) => part.segment)
  let count = 1
  while (count < parts.length && measure(parts.slice(0, count + 1).join('')) <= limit) count++
  const rest = parts.slice(count).join('')
  return rest === '' ? [word] : [parts.slice(0, count).join(''), rest]
}
