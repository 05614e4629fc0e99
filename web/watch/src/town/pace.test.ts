import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Pace } from './pace.js'

/** Runs a second of the browser's frames at a rate; returns when frames were drawn, in milliseconds. */
function runSecond(test: TestContext, rate: number, begin: (pace: Pace) => void, each: (pace: Pace) => void): readonly number[] {
  test.mock.timers.enable({ apis: ['setTimeout'] })
  let [now, last] = [0, 0]
  const waiting = new Map<number, () => void>()
  Object.assign(globalThis, {
    requestAnimationFrame: (draw: () => void) => { waiting.set(++last, draw); return last },
    cancelAnimationFrame: (frame: number) => { waiting.delete(frame) },
  })
  test.mock.method(performance, 'now', () => now)
  const drawn: number[] = []
  const pace: Pace = new Pace(() => { pace.begin(now); drawn.push(now); each(pace) })
  begin(pace)
  for (let frame = 1; frame <= rate; frame += 1) {
    const next = frame * 1000 / rate
    while (now + 1 < next) { now += 1; test.mock.timers.tick(1) }
    now = next
    const due = [...waiting.values()]
    waiting.clear()
    for (const draw of due) draw()
  }
  pace.end()
  return drawn
}

describe('the pace of frames', () => {
  for (const rate of [60, 75, 120, 144]) {
    it(`draws animations at up to 30 frames a second, and not much less, on a screen of ${rate} Hz`, (test) => {
      const { length } = runSecond(test, rate, (pace) => { pace.soon() }, (pace) => { pace.soon() })
      assert.ok(length <= 31 && length >= 24, `${length} frames were drawn`)
    })
  }

  it('draws input of a person with every frame', (test) => {
    assert.equal(runSecond(test, 60, (pace) => { pace.wake() }, (pace) => { pace.wake() }).length, 60)
  })

  it('draws once for all requests before a frame', (test) => {
    assert.equal(runSecond(test, 60, (pace) => { for (let i = 0; i < 5; i += 1) { pace.soon(); pace.wake() } }, () => undefined).length, 1)
  })

  it('draws nothing after its end', (test) => {
    assert.deepEqual(runSecond(test, 60, (pace) => { pace.soon(); pace.end(); pace.wake() }, () => undefined), [])
  })

  it('draws a delayed request later', (test) => {
    const [drawn = 0, ...more] = runSecond(test, 50, (pace) => { pace.after(500) }, () => undefined)
    assert.ok(drawn >= 500 && drawn <= 560 && more.length === 0, `it was drawn at ${drawn}`)
  })

  it('draws a delayed request with an earlier one, and not again', (test) => {
    assert.deepEqual(runSecond(test, 50, (pace) => { pace.after(500); pace.wake() }, () => undefined), [20])
  })
})
