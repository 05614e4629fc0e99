import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'

const page = readFileSync(path.join(import.meta.dirname, '../../docs/integrations.md'), 'utf8')
/** How many lines an example may add to a framework's own. */
const most = 5

describe('the page about frameworks', () => {
  const sections = new Map(page.split(/^## /mu).slice(1).map((text) => [text.slice(0, text.indexOf('\n')).toLowerCase().replaceAll(/[^a-z0-9 -]/gu, '').replaceAll(' ', '-'), text]))
  const rows = Array.from(page.matchAll(/^\| \[([^\]]+)\]\(#([^)]+)\)[^|]* \| (\d+) \|.*`(test[^`]*)` \|$/gmu))
  it('has a row for each adapter', () => { assert.ok(rows.length > 0) })

  for (const [, name, anchor, counted, test] of rows) {
    it(`has an example for ${name} of as many lines as its table says`, () => {
      const [, example = ''] = sections.get(anchor)?.match(/^```js\n([^]*?)^```$/mu) ?? []
      const lines = example.split('\n').filter((line) => line.trim() !== '').length
      assert.equal(lines, Number(counted))
      assert.ok(lines <= most)
      assert.ok(existsSync(path.join(import.meta.dirname, '../..', test)), test)
    })
  }
})
