import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { indented, isJson } from './json.js'

describe('JSON in a line', () => {
  it('is an object or an array, not a text in brackets', () => {
    assert.deepEqual(['{"a":1}', ' [1, 2]\n', '[note] see {this}', '{a: 1}', '12', '', '[', '{}'].map(isJson), [true, true, false, false, false, false, false, true])
  })

  it('is indented, and its values stay as they are written', () => {
    assert.equal(indented('{"a":[1,{"b":"x, {y}: \\"[z]\\""}],"n":9007199254740993,"e":{},"l":[ ],"t":1.0e2}'), `{
  "a": [
    1,
    {
      "b": "x, {y}: \\"[z]\\""
    }
  ],
  "n": 9007199254740993,
  "e": {},
  "l": [],
  "t": 1.0e2
}`)
    const value = { a: [[], [{}], 'ü\n"\\'], b: null, c: [true, false, -1.5] }
    assert.deepEqual(JSON.parse(indented(JSON.stringify(value))), value)
  })
})
