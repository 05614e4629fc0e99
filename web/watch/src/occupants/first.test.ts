import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firstLines } from './first.js'

describe('the first lines of an empty world', () => {
  it('create an account and an agent at the address of a host with accounts', () => {
    const lines = firstLines('https://play.example.org/towns', true)
    assert.deepEqual(lines.map((line) => line.split(' ')[1]), ['create-main-node', 'create-agent-node', 'add-agent'])
    for (const line of lines) assert.match(line, / --server https:\/\/play\.example\.org\/towns$/)
  })

  it('are one command at a host without accounts', () => {
    assert.deepEqual(firstLines('http://127.0.0.1:7420', false), ['playctl add-agent Ada --hold --server http://127.0.0.1:7420'])
  })
})
