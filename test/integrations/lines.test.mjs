import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'

const page = readFileSync(path.join(import.meta.dirname, '../../docs/integrations.md'), 'utf8')
/** How many lines an example may add to a framework's own. */
const most = 5

describe('the page about frameworks', () => {
  it('has examples of as many lines as its table says', () => {
    const counted = page.match(/^\| LangChain, LangGraph \| (\d+) \|/mu)?.[1]
    const [, example = ''] = page.match(/^```js\n([^]*?)^```$/mu) ?? []
    const lines = example.split('\n').filter((line) => line.trim() !== '').length
    assert.equal(lines, Number(counted))
    assert.ok(lines <= most)
  })
})
