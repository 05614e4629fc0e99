/** Characters of Markdown: a text without them is plain already. */
export const marks = /[*_`#[\]|>~\\]|^\s*(?:[-+]|\d+[.)])\s|https?:\/\//mu
/** A longer text is cut first: only a line or two are needed. */
const longest = 4000
/** Code, in which marks are kept. */
const code = /(```[^`]*(?:```|$)|`[^`\n]+`)/u

/** Returns a text that may be Markdown as plain text, for a line or two. */
export function plainWords(text: string): string {
  if (!marks.test(text)) return text
  return text.slice(0, longest).split(code)
    .map((part, place) => place % 2 === 1 ? part.replace(/^```[^\n`]*\n|^`+|`+$/gu, '') : unmarked(part))
    .join('').trim()
}

/** No pattern here backtracks: the text is untrusted. */
function unmarked(text: string): string {
  return text
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gmu, '')
    .replace(/^[ \t]*\|?[ \t]*:?-{2,}[-:| \t]*$\n?/gmu, '')
    .replace(/^[ \t]*\|(.*)\|[ \t]*$/gmu, (_, cells: string) => cells.split('|').map((cell) => cell.trim()).join(', '))
    .replace(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)/gmu, '')
    .replace(/^[ \t]*[-*+][ \t]+(?:\[[ x]\][ \t]+)?/gmu, '• ')
    .replace(/!?\[([^[\]\n]*)\]\([^()\n]*\)/gu, '$1')
    .replace(/(?<!\\)\*\*([^*\n]+)\*\*|~~([^~\n]+)~~/gu, '$1$2')
    .replace(/(?<![\p{L}\p{N}_])__([^_\n]+)__(?![\p{L}\p{N}_])/gu, '$1')
    .replace(/(?<!\\)\*(?=\S)([^*\n\\]+)(?<=\S)\*/gu, '$1')
    .replace(/(?<![\p{L}\p{N}_])_(?=\S)([^_\n]+)(?<=\S)_(?![\p{L}\p{N}_])/gu, '$1')
    .replace(/\\([\\`*_{}[\]()#+\-.!|>~])/gu, '$1')
}
