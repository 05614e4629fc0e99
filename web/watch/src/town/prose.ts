/** Text from elsewhere, made fit to be written on a sign. */

const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const SPACES = /[\s\u2028\u2029]+/gu
/** The first half of a character that was cut in two. */
const HALF = /[\ud800-\udbff]$/
const STRONG = /[\p{L}]/u
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Puts text on one line and takes away what would reorder or control it; no longer than a number of characters. */
export function clean(text: string, most = 400): string {
  // Cut before the expensive parts: a text may be megabytes long.
  return text.slice(0, most * 4).replace(SPACES, ' ').replace(CONTROLS, '').trim().slice(0, most).replace(HALF, '')
}

/** The direction of a text: that of its first letter (Unicode's bidirectional algorithm, rule P2). */
export function direction(text: string): 'ltr' | 'rtl' {
  const first = STRONG.exec(text)
  return first !== null && RIGHT_TO_LEFT.test(first[0]) ? 'rtl' : 'ltr'
}

/** The width of a text in some font. */
export type Measure = (text: string) => number

/** A text that is no wider than a limit: whole, or its beginning with an ellipsis. Characters stay whole. */
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

/** A text like {@link fitted} cuts it, but one of at most some characters stays whole however wide it is, and no other is cut shorter than that. */
export function shortened(text: string, limit: number, least: number, measure: Measure): string {
  if (measure(text) <= limit) return text
  const parts = Array.from(graphemes.segment(text), (part) => part.segment)
  if (parts.length <= least) return text
  const cut = fitted(text, limit, measure)
  const shortest = `${parts.slice(0, least - 1).join('').trimEnd()}…`
  return cut.length > shortest.length ? cut : shortest
}

/** A text on at most some lines of a width, broken between words where it can be; what is too much ends with an ellipsis. */
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
      // Punctuation goes to the next line with the word before it.
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

/** What a text may be broken between. Most are in letters with spaces between words, which costs no dictionary. */
function piecesOf(text: string): string[] {
  return /^[\x20-\u024f\u2010-\u2026]*$/.test(text) ? text.match(/\s+|\S+/g) ?? [] : Array.from(words.segment(text), (word) => word.segment)
}

/** A word that is too wide, as a beginning that fits, and the rest. */
function broken(word: string, limit: number, measure: Measure): [string, ...string[]] {
  const parts = Array.from(graphemes.segment(word), (part) => part.segment)
  let count = 1
  while (count < parts.length && measure(parts.slice(0, count + 1).join('')) <= limit) count++
  const rest = parts.slice(count).join('')
  return rest === '' ? [word] : [parts.slice(0, count).join(''), rest]
}
