import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

// From build/src/styles, where the tests run, to the sources of the page.
const source = new URL('../../../src/', import.meta.url)

/** Declarations that name the left or the right, and would stay there where reading begins at the right. */
function sideDeclarations(css: string): string[] {
  const declarations = css.replaceAll(/\/\*[^]*?\*\//g, '').split(/[{};]/).map((part) => part.trim())
  return declarations.filter((declaration) => {
    const [, property = '', value = ''] = /^([\w-]+):\s*(.*)$/s.exec(declaration) ?? []
    if (/(^|-)(left|right)(-|$)/.test(property) || /^(left|right)$/.test(value)) return true
    const values = value.split(/\s+(?![^(]*\))/)
    switch (property) {
      case 'margin': case 'padding': case 'inset': case 'border-width': return values.length === 4 && values[1] !== values[3]
      case 'border-radius': {
        const [first, second = first, third = first, fourth = second] = values
        return first !== second || third !== fourth
      }
      case 'transform': return /translate(X|3d)?\(/.test(value) && !value.includes('var(--onward)')
      case 'box-shadow': return /(^|,)\s*inset -?[\d.]*[1-9]/.test(value) && !value.includes('inset 0 0')
      default: return false
    }
  })
}

describe('the styles', () => {
  it('are searched for left and right', () => {
    const sides = 'a { left: 0; margin: 0 1px 0 2px; text-align: right } b { border-radius: 4px 14px; transform: translateX(3px) } c { box-shadow: inset 3px 0 0 red; padding-left: 1px }'
    assert.equal(sideDeclarations(sides).length, 7)
    assert.deepEqual(sideDeclarations('a { inset: 0 1px auto; margin: 1px 2px 3px; border-radius: 9px 9px 0 0; transform: translateY(1px); box-shadow: inset calc(3px * var(--onward)) 0 0 red, 0 1px 2px red }'), [])
  })

  it('name no side: they work in languages of either direction', () => {
    const sheets = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'))
    assert.ok(sheets.length > 4, `only ${sheets.length} sheets were found`)
    assert.deepEqual(sheets.flatMap((name) => sideDeclarations(readFileSync(new URL(name, source), 'utf8')).map((declaration) => `${name}: ${declaration}`)), [])
  })
})
