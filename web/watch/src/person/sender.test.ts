import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { PlayError } from '@playctl/sdk'
import type { Point } from '../town/geometry.js'
import { MIN_INTERVAL, CellSender, type Answer } from './sender.js'

const leaseMs = 30_000
const cell = (x: number): Point => ({ x, y: 0 })
const refusal = (code: string, status: number): PlayError => new PlayError({ code, status, message: '', retryAfterMs: status === 429 ? 1000 : 0 })

interface Sent {
  readonly cell: Point
  readonly at: number
}

interface Host {
  readonly sender: CellSender
  readonly sent: Sent[]
  readonly refused: unknown[]
  readonly troubles: unknown[]
  /** The next answers of the host, instead of accepting the cell. */
  readonly answers: (Answer | Error)[]
  /** Advances time, and lets pending replies be handled. */
  readonly pass: (ms: number) => Promise<void>
}

function hostOf(test: TestContext): Host {
  test.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const start = Date.now()
  const [sent, refused, troubles, answers]: [Sent[], unknown[], unknown[], (Answer | Error)[]] = [[], [], [], []]
  const sender = new CellSender({ cell: cell(0), leaseMs }, (asked) => {
    sent.push({ cell: asked, at: Date.now() - start })
    const answer = answers.shift() ?? { cell: asked, leaseMs }
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  }, {
    onAnswer: () => undefined,
    onRefused: (cause) => { refused.push(cause) },
    onTrouble: (cause) => { if (cause !== undefined) troubles.push(cause) },
  })
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) {
      test.mock.timers.tick(100)
      for (let turn = 0; turn < 4; turn++) await Promise.resolve()
    }
  }
  return { sender, sent, refused, troubles, answers, pass }
}

describe('the position of a person, as sent to the host', () => {
  it('is the last cell, sent at most every two seconds', async (test) => {
    const { sender, sent, pass } = hostOf(test)
    for (let step = 1; step <= 50; step++) {
      sender.put(cell(step))
      await pass(100)
    }
    await pass(2 * MIN_INTERVAL)
    assert.ok(sent.length >= 2 && sent.length <= 4, `${sent.length} positions were sent`)
    assert.deepEqual(sent.at(-1)?.cell, cell(50))
    assert.ok(sent.every(({ at }, i) => at - (sent[i - 1]?.at ?? 0) >= MIN_INTERVAL), JSON.stringify(sent))
  })

  it('is sent immediately if the last change was long ago', async (test) => {
    const { sender, sent, pass } = hostOf(test)
    await pass(5000)
    sender.put(cell(1))
    await pass(100)
    assert.deepEqual(sent.map((one) => one.cell), [cell(1)])
  })

  it('is sent again before the lease expires', async (test) => {
    const { sent, pass } = hostOf(test)
    await pass(3 * leaseMs)
    assert.ok(sent.length >= 8 && sent.length <= 9, `${sent.length} positions were sent`)
    assert.ok(sent.every((one) => one.cell.x === 0))
  })

  it('is the cell that the host returned, if it chose another', async (test) => {
    const { sender, sent, answers, pass } = hostOf(test)
    await pass(MIN_INTERVAL)
    answers.push({ cell: cell(7), leaseMs })
    sender.put(cell(6))
    await pass(leaseMs)
    assert.deepEqual(sent.slice(0, 2).map((one) => one.cell), [cell(6), cell(7)])
    assert.deepEqual(sender.known, cell(7))
  })

  it('waits if it is rate-limited, without a message', async (test) => {
    const { sender, sent, answers, troubles, refused, pass } = hostOf(test)
    await pass(MIN_INTERVAL)
    answers.push(refusal('rate_limited', 429))
    sender.put(cell(1))
    await pass(2 * MIN_INTERVAL + 200)
    assert.deepEqual(sent.map((one) => one.cell), [cell(1), cell(1)])
    assert.deepEqual([troubles, refused], [[], []])
  })

  it('is retried with a message if the host does not answer', async (test) => {
    const { sender, sent, answers, troubles, pass } = hostOf(test)
    await pass(MIN_INTERVAL)
    answers.push(new TypeError('gone'), refusal('overloaded', 503))
    sender.put(cell(1))
    await pass(10_000)
    assert.equal(sent.length, 3)
    assert.equal(troubles.length, 2)
    assert.deepEqual(sender.known, cell(1))
  })

  it('is not sent after a refusal', async (test) => {
    const { sender, sent, answers, refused, pass } = hostOf(test)
    await pass(MIN_INTERVAL)
    answers.push(refusal('credentials_invalid', 401))
    sender.put(cell(1))
    await pass(3 * leaseMs)
    assert.equal(sent.length, 1)
    assert.equal(refused.length, 1)
  })

  it('is not sent after the person has left', async (test) => {
    const { sender, sent, pass } = hostOf(test)
    sender.put(cell(1))
    sender.end()
    await pass(3 * leaseMs)
    assert.equal(sent.length, 0)
  })

  it('follows another page of the browser, unless its own change is being sent', async (test) => {
    const { sender, sent, pass } = hostOf(test)
    await pass(MIN_INTERVAL)
    assert.equal(sender.moved(cell(5)), true)
    await pass(leaseMs)
    assert.deepEqual(sent.at(-1)?.cell, cell(5))
    sender.put(cell(6))
    assert.equal(sender.moved(cell(4)), false)
  })
})
