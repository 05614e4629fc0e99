import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { en } from '../text/en.js'
import { called } from './names.js'

describe('a name', () => {
  it('does not change the direction of text around it and stays on its line', () => {
    assert.equal(called('Ada \u202egnitirw\u202c\n\tLovelace'), 'Ada gnitirw Lovelace')
  })

  it('is never empty', () => {
    for (const blank of ['', '  \n', '\u200b\u200d', '\u202e', '\u3164', '\ufeff']) assert.equal(called(blank), en['residents.unnamed'])
  })

  it('keeps the joiners between its characters', () => {
    for (const name of ['👩‍🚀 Sally', 'نامه‌ها', 'Åsa']) assert.equal(called(name), name)
  })

  it('is complete up to 200 characters', () => {
    assert.equal(called('a'.repeat(200)).length, 200)
    assert.equal(called('a'.repeat(5000)).length, 200)
    assert.equal(called(`${'a'.repeat(199)}😀`), 'a'.repeat(199))
  })
})
