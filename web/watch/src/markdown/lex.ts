import { Lexer, type Token } from 'marked'

/** Marks of quotes and lists at the beginning of a line, nested in each other. */
const nested = /^(?:[ \t]*(?:>|[-+*][ \t]|\d+[.)][ \t])){50}/mu
/** Pairing more marks of emphasis without an empty line between them takes too long. */
const mostMarks = 1000

/** Parses a text as Markdown; undefined if that would need too much time or stack: the text is untrusted. */
export function lex(text: string): readonly Token[] | undefined {
  if (nested.test(text) || text.split(/\n[ \t]*\n/u).some((block) => (block.match(/[*_~]/gu)?.length ?? 0) > mostMarks)) return undefined
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text)
  } catch {
    return undefined
  }
}
