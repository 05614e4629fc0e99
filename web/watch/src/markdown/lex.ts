import { Lexer, type Token } from 'marked'

/** Marks of quotes and lists at the beginning of a line, one within the other. */
const nested = /^(?:[ \t]*(?:>|[-+*][ \t]|\d+[.)][ \t])){50}/mu
/** So many marks of emphasis without an empty line between them take too long to be paired. */
const mostMarks = 1000

/** Reads a text as Markdown; nothing where that would take too long or too deep a stack: the text is anybody's. */
export function lex(text: string): readonly Token[] | undefined {
  if (nested.test(text) || text.split(/\n[ \t]*\n/u).some((block) => (block.match(/[*_~]/gu)?.length ?? 0) > mostMarks)) return undefined
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text)
  } catch {
    return undefined
  }
}
