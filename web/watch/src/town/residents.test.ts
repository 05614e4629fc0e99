import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Resident } from './residents.js'
import { DEPARTURE, postpone, Residents } from './residents.js'
import type { TownAgent, TownOccupant, TownWorld } from './types.js'

const text = {
  mapLabel: '', mapRole: '', you: 'you', overviewLabel: '', overviewHow: '',
  describe: (row: TownOccupant) => row.name, doing: () => '',
  step: (step: { readonly content?: string }, place: number) => `${place + 1}. ${step.content ?? ''}`,
}

const agent = (id: string, more: Partial<TownAgent> = {}): TownAgent => ({ kind: 'agent', nodeId: 'n', agentId: id, name: id, x: 2, y: 3, ...more })
const world = (occupants: readonly TownOccupant[], sid = 's1'): TownWorld => ({ sid, bounds: { minX: 0, minY: 0, maxX: 19, maxY: 11 }, occupants })
const ignore = (): void => undefined

function townOf(...ids: string[]): { town: Residents; find: (id: string) => Resident } {
  const town = new Residents(text)
  town.take(world(ids.map((id) => agent(id))), 0)
  const find = (id: string): Resident => {
    const found = town.find(id)
    assert.ok(found, `${id} is not in the town`)
    return found
  }
  return { town, find }
}

const journey = [
  { type: 'origin', x: 2, y: 3, content: 'asked' }, { type: 'structure', x: 9, y: 8, toolName: 'search', content: 'searched' },
] as const

describe('residents', () => {
  it('arrive one by one, except in the first state of a session', () => {
    const { town, find } = townOf('a')
    assert.equal(find('a').arrived, -Infinity)
    assert.equal(town.take(world([agent('a'), agent('b')]), 500), false)
    assert.equal(find('b').arrived, 500)
    assert.equal(town.take(world([agent('c')], 's2'), 600), true)
    assert.equal(find('c').arrived, -Infinity)
    assert.equal(town.all.size, 1)
  })

  it('are drawn but not selectable while they leave, and then removed', () => {
    const { town } = townOf('a', 'b')
    town.take(world([agent('b')]), 1000)
    assert.equal(town.find('a'), undefined)
    assert.equal(town.pass(1000 + DEPARTURE - 1, ignore).moves, true)
    assert.equal(town.all.size, 2)
    town.pass(1000 + DEPARTURE, ignore)
    assert.deepEqual([...town.all.keys()], ['agent:n:b'])
  })

  it('are removed after they left also without drawing, as on a hidden page', () => {
    const { town } = townOf()
    for (let n = 0; n < 1000; n += 1) town.take(world([agent(`a${n}`)]), n * DEPARTURE)
    assert.equal(town.all.size, 2)
  })

  it('arrive again if they return while they leave', () => {
    const { town, find } = townOf('a')
    town.take(world([]), 1000)
    town.take(world([agent('a')]), 1100)
    assert.equal(find('a').arrived, 1100)
    town.pass(1000 + 2 * DEPARTURE, ignore)
    assert.equal(town.all.size, 1)
  })

  it('are kept on the land whatever position a host states', () => {
    const { town } = townOf()
    town.take(world([agent('far', { x: 1e9, y: Number.NaN })]), 0)
    assert.deepEqual(town.find('far')?.spot, { x: 19.16, y: 0.26 })
  })

  it('speak for the reading time, at most 24 at the same time', () => {
    const ids = Array.from({ length: 28 }, (_, i) => `a${i}`)
    const { town, find } = townOf(...ids)
    ids.forEach((id, i) => { town.say(find(id), 'Hello', 'assistant', i) })
    assert.deepEqual(ids.filter((id) => find(id).speech !== null), ids.slice(4))
    const until = find('a27').speech?.until ?? 0
    assert.ok(until > 4000)
    town.pass(until - 1, ignore)
    assert.notEqual(find('a27').speech, null)
    town.pass(until, ignore)
    assert.equal(find('a27').speech, null)
  })

  it('postpone speech for lack of room, for a limited time', () => {
    const { town, find } = townOf('a')
    town.say(find('a'), 'Hello', 'assistant', 0)
    const { speech } = find('a')
    assert.ok(speech)
    postpone(speech, 3000)
    assert.equal(speech.until, 3000 + speech.reading)
    postpone(speech, 60_000)
    assert.equal(speech.until, 6000 + speech.reading)
  })

  it('walk a journey with a bubble at each step, removed when they move on', () => {
    const { town, find } = townOf('a')
    const steps: (number | null)[] = []
    const pass = (now: number): string | null => {
      town.pass(now, (_, step) => { steps.push(step) })
      return find('a').speech?.text ?? null
    }
    town.send(find('a'), journey, 0, false, 0, false)
    assert.equal(pass(10), '1. asked')
    const { walk } = find('a')
    assert.ok(walk)
    const away = walk.at(10).until + 1
    assert.equal(walk.at(away).moving, true)
    assert.equal(pass(away), null)
    assert.equal(pass(walk.at(away).until), '2. searched')
    assert.equal(pass(walk.end), null)
    assert.deepEqual(steps, [0, 1, null])
  })

  it('reach each step immediately with reduced motion', () => {
    const { town, find } = townOf('a')
    town.send(find('a'), journey, 1, true, 0, true)
    assert.equal(town.pass(0, ignore).moves, false)
    assert.equal(find('a').step, 1)
    town.recall(find('a'), 10, true)
    town.pass(11, ignore)
    assert.equal(find('a').walk, null)
  })

  it('walk to the position of their row if they are people', () => {
    const human = (x: number): TownOccupant => ({ kind: 'human', id: 'h', name: 'Robin', x, y: 3 })
    const town = new Residents(text)
    town.take(world([human(2), agent('a')]), 0, false)
    town.take(world([human(5), agent('a', { x: 9 })]), 1000, false)
    const robin = town.find('h')
    assert.ok(robin?.walk)
    assert.equal(town.find('a')?.walk, null, 'an agent walked')
    const { x } = robin.walk.at(1000 + 200)
    assert.ok(x > robin.walk.at(1000).x && x < robin.home.x)
    // The next row arrives during the walk, which continues from the current place.
    const before = robin.walk.at(1400)
    town.take(world([human(7), agent('a')]), 1400, false)
    const after = robin.walk.at(1400)
    assert.ok(Math.hypot(after.x - before.x, after.y - before.y) < 1)
    town.pass(60_000, ignore)
    assert.equal(robin.walk, null)
    town.take(world([human(2)]), 61_000, true)
    assert.equal(robin.walk, null, 'it walked with reduced motion')
    town.stopAll()
    town.take(world([human(9)]), 62_000, false)
    assert.equal(robin.walk, null, 'it walked between two moments')
  })

  it('follow the steered walk of the reader, whatever the row states', () => {
    const human = (x: number): TownOccupant => ({ kind: 'human', id: 'h', name: 'Robin', x, y: 3 })
    const way = { end: Infinity, at: () => ({ x: 1, y: 2, walked: 0, moving: false, left: false, step: null, until: Infinity }) }
    const town = new Residents(text)
    town.take(world([]), 0, false)
    town.steer({ key: 'human:h', way })
    town.take(world([human(2)]), 0, false)
    assert.equal(town.own, 'human:h')
    assert.equal(town.find('h')?.walk, way)
    town.take(world([human(5)]), 1000, false)
    assert.equal(town.find('h')?.walk, way)
    town.stopAll()
    town.take(world([human(6)]), 2000, false)
    assert.equal(town.find('h')?.walk, way)
    town.steer(null)
    assert.deepEqual([town.own, town.find('h')?.walk], [null, null])
  })
})
