import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'

const repository = path.join(import.meta.dirname, '../..')
const page = readFileSync(path.join(repository, 'docs/integrations.md'), 'utf8')
/** How many lines an example may add to a framework's own. */
const most = 5

describe('the page about frameworks', () => {
  const sections = new Map(page.split(/^## /mu).slice(1).map((text) => [text.slice(0, text.indexOf('\n')).toLowerCase().replaceAll(/[^a-z0-9 -]/gu, '').replaceAll(' ', '-'), text]))
  const rows = Array.from(page.matchAll(/^\| \[([^\]]+)\]\(#([^)]+)\)[^|]* \| (\d+) \|.*`(test[^`]*)` \| \[[^\]]*\]\(\.\.\/([^)]*)\/README\.md\) \|$/gmu))
  it('has a row for each adapter', () => { assert.equal(rows.length, 5) })

  it('names existing tests in each row', () => {
    const table = page.split('\n\n').find((block) => block.startsWith('|')).split('\n').slice(2)
    assert.equal(table.length, 10)
    for (const row of table) {
      const named = Array.from(row.matchAll(/`((?:test|internal|web|examples)\/[^`]+)`/gu), ([, name]) => name)
      assert.ok(named.length > 0, row)
      for (const name of named) assert.ok(existsSync(path.join(repository, name)), name)
    }
  })

  for (const [, name, anchor, counted, test, folder] of rows) {
    it(`has an example for ${name} with the line count of its table`, () => {
      const [, example = ''] = sections.get(anchor)?.match(/^```js\n([^]*?)^```$/mu) ?? []
      const lines = example.split('\n').filter((line) => line.trim() !== '')
      assert.equal(lines.length, Number(counted))
      assert.ok(lines.length <= most)
      assert.ok(existsSync(path.join(repository, test)), test)
      const agent = readFileSync(path.join(repository, folder, 'agent.mjs'), 'utf8')
      const own = (line) => line.replace(/'\w+', (?:await )?from.*/u, '')
      for (const line of lines) assert.ok(agent.includes(own(line)), `${folder} has not the line ${line}`)
    })
  }
})
