import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plainWords } from './plain.js'

describe('plain text', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['The river is high.', 'The river is high.'],
    ['The **blue** one, *really*, __now__ and _then_, ~~not~~', 'The blue one, really, now and then, not'],
    ['# Books\n\n- one\n- [x] two', 'Books\n\n• one\n• two'],
    ['> said [the host](https://example.com/a) ![a map](x.png)', 'said the host a map'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a, b\n1, 2'],
    ['run `a_b_c * 2` and\n```js\nconst x = a * b * c\n```', 'run a_b_c * 2 and\nconst x = a * b * c'],
    ['search_web → cite_page, 2 * 3 * 4 = 24', 'search_web → cite_page, 2 * 3 * 4 = 24'],
    ['\\*as it is\\*', '*as it is*'],
    ['a ``` that nobody closed', 'a  that nobody closed'],
    ['<b>no tag</b> is one', '<b>no tag</b> is one'],
  ]
  for (const [written, plain] of cases) it(`is derived from ${JSON.stringify(written)}`, () => { assert.equal(plainWords(written), plain) })

  it('takes no longer for malicious Markdown', () => {
    for (const piece of ['*', '**', '_', '__', '[', '[](', '`', '|', '- ', '\\', '> ', '~~a', '*a ']) {
      const before = performance.now()
      plainWords(piece.repeat(100_000))
      assert.ok(performance.now() - before < 500, piece)
    }
  })
})
