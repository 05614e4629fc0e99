import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Recording } from './recording.js'

const signal = new AbortController().signal
const line = (seq: number, text: string): string => `${JSON.stringify({ event: 'world:interaction', seq, data: { rev: 1, text } })}\n`

describe('a recording', () => {
  it('has complete lines of any length, without a truncated one', async () => {
    // A file is read in pieces of 64 KiB, which end within characters of three bytes.
    const texts = ['short', '日本語'.repeat(100_000), 'é'.repeat(50_001), '']
    const recording = new Recording(new Blob([`${JSON.stringify({ snapshot: {} })}\n`, ...texts.map((text, i) => line(i + 1, text)), '{"event":"world:inter']))
    await recording.load(signal)
    assert.deepEqual(recording.instants.map(({ seq }) => seq), [1, 2, 3, 4])
    const events = await recording.events(0, 3)
    assert.deepEqual(events.map(({ data }) => data.text === texts.shift()), [true, true, true, true])
  })
})
