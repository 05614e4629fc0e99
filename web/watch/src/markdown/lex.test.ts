import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lex } from './lex.js'

describe('malicious Markdown', () => {
  for (const mark of ['>', '> ', '- ', '* ', '1. ', '12) ']) {
    for (const length of [4000, 20_000]) {
      it(`is not parsed if ${length} characters are ${JSON.stringify(mark)}`, () => {
        assert.equal(lex(`Look:\n\n  ${mark.repeat(length / mark.length)}`), undefined)
      })
    }
  }

  for (const piece of ['**a* ', '*a **a ', '__a_ ', '~~a']) {
    it(`is not parsed if it repeats ${JSON.stringify(piece)} 4000 times`, () => {
      assert.equal(lex(piece.repeat(4000)), undefined)
    })
  }
})

describe('Markdown', () => {
  it('is parsed', () => {
    const types = (text: string): string[] | undefined => lex(text)?.map(({ type }) => type)
    assert.deepEqual(types('> > > said'), ['blockquote'])
    assert.deepEqual(types('- one\n  - two\n    1. three'), ['list'])
    assert.deepEqual(types(`a\n${'-'.repeat(80)}`), ['heading'])
    assert.deepEqual(types('-'.repeat(80)), ['hr'])
    assert.deepEqual(types('**a** _b_\n\n'.repeat(500))?.filter((type) => type === 'paragraph').length, 500)
  })
})
