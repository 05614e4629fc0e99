import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import ts from 'typescript'
import { en } from './en.js'

// From build/src/text, where the tests run, to the directory of the page.
const page = new URL('../../../', import.meta.url)
const sources = readdirSync(new URL('src/', page), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'))
const read = (name: string): string => readFileSync(new URL(name, page), 'utf8')

/** The attributes with text for people. */
const readable = new Set(['aria-label', 'aria-roledescription', 'aria-description', 'aria-valuetext', 'alt', 'placeholder', 'title', 'label'])

/** Returns the texts with letters in a component's markup; code, such as a command, is the same in every language. */
function literals(name: string, source: string): string[] {
  const found: string[] = []
  const look = (node: ts.Node): void => {
    if (ts.isJsxElement(node) && node.openingElement.tagName.getText() === 'code') return
    const words = wordsIn(node)
    if (/\p{L}/u.test(words)) found.push(`${name}: ${words.trim()}`)
    ts.forEachChild(node, look)
  }
  look(ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX))
  return found
}

function wordsIn(node: ts.Node): string {
  if (ts.isJsxText(node)) return node.text
  if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) return textOf(node.expression)
  if (!ts.isJsxAttribute(node) || !readable.has(node.name.getText())) return ''
  return node.initializer !== undefined && ts.isJsxExpression(node.initializer) ? textOf(node.initializer.expression) : textOf(node.initializer)
}

/** Returns the text of a literal; of a template, the text between its gaps. */
function textOf(node: ts.Node | undefined): string {
  if (node === undefined) return ''
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node)) return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(' ')
  if (ts.isConditionalExpression(node)) return `${textOf(node.whenTrue)} ${textOf(node.whenFalse)}`
  return ''
}

describe('the words of the page', () => {
  it('are found in markup', () => {
    const markup = "<p title='Hello' class=\"soft\">{n} things {`at ${x}`}{ok ? 'Yes' : ''} · <code>playctl watch</code></p>"
    assert.deepEqual(literals('x', markup), ['x: Hello', 'x: things', 'x: at', 'x: Yes'])
  })

  it('are all in en.ts', () => {
    const components = sources.filter((name) => name.endsWith('.tsx'))
    assert.ok(components.length > 20, `only ${components.length} components were found`)
    assert.deepEqual(components.flatMap((name) => literals(name, read(`src/${name}`))), [])
    assert.deepEqual(literals('index.html', read('index.html').replace(/^<!doctype html>/, '').replaceAll(/%text:[\w.]+%/g, '').replaceAll(/<(meta|link)[^>]*>/g, '')), [])
  })

  it('are all used', () => {
    const code = sources.filter((name) => !/^text\/(en|de|ja|contract|map)\.ts$/.test(name)).map((name) => read(`src/${name}`)).join('\n') + read('vite.config.ts')
    // A key is literal, or its prefix is and the kind is appended.
    const used = (key: string): boolean => code.includes(`'${key}'`)
      || key.split('.').some((_, count, parts) => count > 0 && code.includes(`\`${parts.slice(0, count).join('.')}.\${`))
    assert.deepEqual(Object.keys(en).filter((key) => !used(key)), [])
  })
})
