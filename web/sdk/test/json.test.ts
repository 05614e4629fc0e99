import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { JsonError, canonicalJson, compareKeys, parseJson } from '../src/index.js'
import { compareUtf8 } from '../src/chain/keys.js'
import { type Frame, FrameError, FrameParser } from '../src/stream/frames.js'
import { random, someJson, someText } from './random.js'

describe('JSON', () => {
  it('reads what the platform reads, and writes its canonical form', () => {
    const next = random(1)
    for (let i = 0; i < 3000; i++) {
      const value = someJson(next)
      const text = JSON.stringify(value, undefined, Math.floor(next() * 3))
      const got = parseJson(text)
      assert.deepEqual(got, JSON.parse(text))
      const canonical = canonicalJson(got)
      assert.equal(canonicalJson(parseJson(canonical)), canonical)
      assert.deepEqual(JSON.parse(canonical), JSON.parse(JSON.stringify(value)))
    }
  })
  it('refuses JSON that the protocol does not allow', () => {
    const bad = ['', ' ', '{', '[1,]', '{"a":1,"a":2}', '{"\\u0061":1,"a":2}', '"\\ud800"', '"\ud800"', '1e999', '-', '01', '1.', '"\n"', '{}x', 'nul', '"\\x"', '"', '[' .repeat(513) + ']'.repeat(513), '{"__proto__":1,"__proto__":2}', '\u00a01']
    for (const text of bad) assert.throws(() => parseJson(text), JsonError, text.slice(0, 30))
    assert.doesNotThrow(() => parseJson('['.repeat(512) + ']'.repeat(512)))
    assert.throws(() => canonicalJson('\udc00'), JsonError)
    assert.throws(() => canonicalJson(NaN), JsonError)
  })
  it('sorts keys by UTF-16 code units, leaves by UTF-8 bytes', () => {
    assert.equal(canonicalJson({ '\u{1f600}': 1, '\uffff': 2, b: 3, a: -0 }), '{"a":0,"b":3,"\u{1f600}":1,"\uffff":2}')
    assert.ok(compareKeys('mcp:\uffff', 'mcp:\u{1f600}') < 0)
    assert.ok(compareKeys('space:a', 'structure:z') > 0)
    const next = random(2)
    for (let i = 0; i < 5000; i++) {
      const [a, b] = [someText(next), someText(next)]
      assert.equal(Math.sign(compareUtf8(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }
  })
})

describe('event stream frames', () => {
  const text = '\uFEFF: hi\n\nretry: 20\nid: 7\n\nid: 8\r\nevent: a\r\ndata: {"x":\r\ndata:"ä😀"}\r\n\r\ndata\n\nevent: gone\n\nid: 9\ndata: y\rdata: z\r\rid: 10\ndata: unfinished'
  const want = [
    { kind: 'message', id: '7' },
    { kind: 'a', id: '8', data: '{"x":\n"ä😀"}' },
    { kind: 'message', data: '' },
    { kind: 'message', id: '9', data: 'y\nz' },
  ]
  it('are parsed the same however the bytes are split', () => {
    const bytes = Buffer.from(text)
    const next = random(3)
    for (let run = 0; run < 500; run++) {
      const parser = new FrameParser()
      const got: Frame[] = []
      for (let at = 0; at < bytes.length; ) {
        const size = run === 0 ? 1 : 1 + Math.floor(next() * 20)
        parser.push(bytes.subarray(at, at + size), got)
        at += size
      }
      assert.deepEqual(got, want)
      assert.equal(parser.retryMs, 20)
    }
  })
  it('are refused if they are too long or not UTF-8', () => {
    const parser = new FrameParser(100)
    assert.throws(() => { for (let i = 0; i < 20; i++) parser.push(Buffer.from('data: 123456\n'), []) }, FrameError)
    const frames: Frame[] = []
    assert.throws(() => { new FrameParser().push(Buffer.from('data: whole\n\ndata: \xff\n\n', 'latin1'), frames) }, FrameError)
    assert.deepEqual(frames, [{ kind: 'message', data: 'whole' }])
  })
})
