import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { Recording, type RecordingError } from './recording.js'

const signal = new AbortController().signal
const snapshot = { snapshot: { sid: 's', rev: 1 } }
const said = (seq: number, text = ''): object => ({ event: 'world:interaction', seq, data: { rev: 1, text } })

/** Returns the lines of a recording, without its end. */
const numbered = (...lines: object[]): string => lines.map((line, i) => `${JSON.stringify({ line: i + 1, ...line })}\n`).join('')

/** Returns a recording with its end. */
function ended(text: string): string {
  const lines = text.split('\n').length - 1
  return `${text}${JSON.stringify({ line: lines + 1, end: { lines, sha256: createHash('sha256').update(text).digest('hex') } })}\n`
}

async function load(text: string): Promise<Recording> {
  const recording = new Recording(new Blob([text]))
  await recording.load(signal)
  return recording
}

describe('a recording', () => {
  it('has complete lines of any length, without a truncated one', async () => {
    // A file is read in pieces of 64 KiB, which end within characters of three bytes.
    const texts = ['short', '日本語'.repeat(100_000), 'é'.repeat(50_001), '']
    const recording = await load(`${numbered(snapshot, ...texts.map((text, i) => said(i + 1, text)))}{"event":"world:inter`)
    assert.deepEqual(recording.instants.map(({ seq }) => seq), [1, 2, 3, 4])
    assert.equal(recording.endsAt, 5)
    const events = await recording.events(0, 3)
    assert.deepEqual(events.map(({ data }) => data.text === texts.shift()), [true, true, true, true])
  })

  it('is complete with the end that states its lines', async () => {
    const whole = ended(numbered(snapshot, said(1, 'é'.repeat(70_000)), said(4)))
    assert.equal((await load(whole)).endsAt, undefined)
    const [first = '', second = '', ...rest] = whole.split(/(?<=\n)/u)
    const lines = [first, second, ...rest]
    const changed = {
      'without a line': [first, ...rest], 'with a line twice': [first, second, second, ...rest], 'with other lines after its end': [...lines, second],
      'with another text': [whole.replace('é', 'è')], 'with a blank line': [...lines, '\n'], 'with bytes after its end': [...lines, 'x'],
    }
    for (const [name, text] of Object.entries(changed)) {
      await assert.rejects(load(text.join('')), (error: RecordingError) => error.reason === 'changed', name)
    }
  })

  it('of a host that went back is not shown, and neither is another file', async () => {
    const back = numbered({ snapshot: { sid: 's', rev: 2 } }, said(2), snapshot, said(1))
    await assert.rejects(load(back), (error: RecordingError) => error.reason === 'back' && error.line === 3)
    await load(back.replace('"sid":"s"', '"sid":"r"'))
    for (const other of ['{}\n', '[]\n', `${JSON.stringify(said(1))}\n`, 'text\n']) {
      await assert.rejects(load(other), (error: RecordingError) => error.reason === 'form', other)
    }
  })
})
