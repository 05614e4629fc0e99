import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { it } from 'node:test'

const read = (file) => JSON.parse(readFileSync(path.join(import.meta.dirname, file), 'utf8'))

it('the folder "lowest" has the lowest versions that the package accepts', () => {
  const { react: _react, ...peers } = read('../../web/sdk/package.json').peerDependencies
  const { devDependencies } = read('lowest/package.json')
  for (const [name, range] of Object.entries(peers)) {
    const [major, minor = '0', patch = '0'] = range.replace('>=', '').split('.')
    assert.equal(devDependencies[name], `${major}.${minor}.${patch}`, name)
  }
})

it('the folder "lowest1" has the first versions of LangChain 1', () => {
  for (const [name, version] of Object.entries(read('lowest1/package.json').devDependencies)) if (/lang/u.test(name)) assert.match(version, /^1\.0\.[01]$/u)
  const { dependencies } = read('../../examples/agent-langchain/package.json')
  assert.match(dependencies['@langchain/core'], /^1\./u)
})
