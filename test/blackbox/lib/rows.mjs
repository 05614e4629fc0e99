// A reader of snapshots ("The snapshot and its rows") that refuses: every field that a row must have is
// there with its type, and nothing is there that the section does not name.

import assert from 'node:assert/strict'

const is = {
  text: (v) => typeof v === 'string',
  named: (v) => typeof v === 'string' && v !== '',
  whole: (v) => Number.isSafeInteger(v),
  count: (v) => Number.isSafeInteger(v) && v >= 0,
  flag: (v) => typeof v === 'boolean',
  texts: (v) => Array.isArray(v) && v.every((item) => typeof item === 'string'),
  object: (v) => v !== null && typeof v === 'object' && !Array.isArray(v),
  time: (v) => typeof v === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(v),
  hex: (v) => typeof v === 'string' && /^[0-9a-f]{64}$/.test(v),
  oneOf:
    (...values) =>
    (v) =>
      values.includes(v)
}

class ListOf {
  constructor(shape) {
    this.shape = shape
  }
}

function listOf(shape) {
  return new ListOf(shape)
}

const amenity = is.oneOf('shop', 'supermarket', 'car_wash')

const tool = { name: is.named, description: is.text, parameters: is.object }

const amount = (v) => typeof v === 'number' && v >= 0
const usage = { 'inputTokens?': amount, 'outputTokens?': amount, 'costUsd?': amount, 'toolCalls?': amount, 'errors?': amount }
const activity = {
  state: is.oneOf('working', 'waiting', 'idle', 'done', 'failed'),
  'text?': is.named,
  'toolName?': is.named,
  since: is.time,
  'usage?': usage
}

const rows = {
  agent: {
    kind: is.oneOf('agent'),
    nodeId: is.named,
    agentId: is.named,
    name: is.named,
    x: is.whole,
    y: is.whole,
    platform: is.text,
    toolNames: is.texts,
    assistToolNames: is.texts,
    'assistTools?': listOf(tool),
    hasChatTool: is.flag,
    enableP2a: is.oneOf('on', 'off'),
    'realtimeInstructions?': is.text,
    stationary: is.flag,
    'lastUpdate?': { playerId: is.named, journey: is.object, path: Array.isArray },
    zoneCount: is.count,
    yieldCount: is.count,
    flagged: is.flag,
    'onZone?': { zoneCount: is.count, flagged: is.flag, at: is.time },
    'onYield?': { yieldCount: is.count, at: is.time },
    'activity?': activity,
    'parentId?': is.named,
    'group?': is.named
  },
  mcp: {
    kind: is.oneOf('mcp'),
    id: is.named,
    nodeId: is.named,
    name: is.named,
    'url?': is.named,
    x: is.whole,
    y: is.whole
  },
  human: { kind: is.oneOf('human'), id: is.named, name: is.text, x: is.whole, y: is.whole, 'interactive?': is.flag },
  structure: {
    kind: is.oneOf('structure'),
    id: is.named,
    name: is.text,
    x: is.whole,
    y: is.whole,
    worldId: is.text,
    spaceIds: (v) => is.texts(v) && v.length > 0,
    'primaryAmenity?': amenity,
    'amenities?': amenities,
    stationary: is.flag
  }
}

const space = {
  id: is.named,
  name: is.named,
  description: is.text,
  designKey: is.text,
  owner: { displayName: is.text, 'playerId?': is.named, nodeId: is.named },
  amenities,
  'activityObjectIds?': is.texts
}

const snapshot = {
  sid: (v) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(v),
  mainNodeId: is.hex,
  rev: is.count,
  seq: is.count,
  merkleRootHex: is.hex,
  merkleLeafCount: is.count,
  worldMap: { bounds: { minX: is.whole, minY: is.whole, maxX: is.whole, maxY: is.whole }, occupants: Array.isArray },
  spaces: Array.isArray,
  mcpServers: listOf({ id: is.named, name: is.named, 'url?': is.named })
}

function amenities(list) {
  return Array.isArray(list) && list.length > 0 && list.every(amenity)
}

// check holds a value against a shape: a test, an object of shapes whose keys
// end in "?" where a field may be absent, or a list of one shape.
export function check(value, shape, where) {
  if (typeof shape === 'function') {
    assert.ok(shape(value), `${where} is ${JSON.stringify(value)}`)
    return
  }
  if (shape instanceof ListOf) {
    assert.ok(Array.isArray(value), `${where} is not an array: ${JSON.stringify(value)}`)
    value.forEach((item, i) => check(item, shape.shape, `${where}[${i}]`))
    return
  }
  assert.ok(is.object(value), `${where} is not an object: ${JSON.stringify(value)}`)
  const known = new Set()
  for (const [name, inner] of Object.entries(shape)) {
    const key = name.replace(/\?$/, '')
    known.add(key)
    if (key in value) check(value[key], inner, `${where}.${key}`)
    else assert.ok(name.endsWith('?'), `${where}.${key} is missing`)
  }
  for (const key of Object.keys(value)) assert.ok(known.has(key), `${where}.${key} is not in the protocol`)
}

export { is, listOf }

export function readRow(row) {
  assert.ok(is.object(row) && rows[row.kind], `an occupant of unknown kind: ${JSON.stringify(row)}`)
  check(row, rows[row.kind], row.kind)
  if (row.kind === 'agent') {
    assert.deepEqual(
      row.assistToolNames,
      row.toolNames.filter((name) => name.startsWith('assist_'))
    )
    assert.equal(row.hasChatTool, row.toolNames.includes('chat_tool'))
    assert.equal(row.flagged, row.zoneCount >= 100)
  }
  return row
}

export function readSpace(entry) {
  check(entry, space, 'space')
  return entry
}

// readSnapshot refuses a snapshot that the protocol does not allow.
export function readSnapshot(value) {
  check(value, snapshot, 'snapshot')
  const { bounds, occupants } = value.worldMap
  occupants.forEach(readRow)
  value.spaces.forEach(readSpace)
  assert.ok(
    bounds.maxX - bounds.minX + 1 >= 20 && bounds.maxY - bounds.minY + 1 >= 12,
    `the map is too small: ${JSON.stringify(bounds)}`
  )
  const cells = new Set()
  for (const { x, y } of occupants) {
    assert.ok(
      x >= bounds.minX && x <= bounds.maxX && y >= bounds.minY && y <= bounds.maxY,
      `(${x}, ${y}) is outside the bounds`
    )
    assert.ok(!cells.has(`${x},${y}`), `two occupants share (${x}, ${y})`)
    cells.add(`${x},${y}`)
  }
  assert.deepEqual(value.mcpServers, mcpServersOf(occupants))
  return value
}

// mcpServersOf derives the list of MCP servers that goes with the rows.
export function mcpServersOf(occupants) {
  return occupants
    .filter((row) => row.kind === 'mcp')
    .map(({ id, name, url }) => (url === undefined ? { id, name } : { id, name, url }))
}
