import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAddress, queryOf, type Address } from './address.js'

const usual: Address = { agent: '', part: 'talk', tab: 'residents', kind: '', who: '', text: '', t: undefined, sid: '', bare: false, lang: '' }

describe('an address', () => {
  it('states what is shown, without defaults', () => {
    assert.equal(queryOf(usual), '')
    assert.deepEqual(parseAddress(''), usual)
    for (const address of [
      { ...usual, agent: 'mcp:a&b=c', bare: true },
      { ...usual, tab: 'happenings', kind: 'speech', who: 'agent:n:ada', text: 'the river' },
      { ...usual, tab: 'happenings', t: 12_345, sid: '23be152b-140e-4ddc-bc78-07317c50d4d0' },
      { ...usual, tab: 'places', t: 7 },
      { ...usual, agent: 'ada', part: 'story' },
      { ...usual, lang: 'de', bare: true },
    ] satisfies Address[]) assert.deepEqual(parseAddress(queryOf(address)), address)
  })

  it('is read as far as it is valid, without a token', () => {
    assert.deepEqual(parseAddress('?tab=nowhere&part=x&kind=x&t=-1&token=secret&view=sky&lang=tlh'), usual)
    assert.equal(parseAddress('?t=5').tab, 'happenings')
  })
})
