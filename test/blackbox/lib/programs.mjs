// Writes at most four programs into a folder that run the test files that are named, one
// file after the other, each as a suite whose hosts end before the next one starts.

import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder, ...files] = process.argv.slice(2)
const count = Math.min(4, files.length)
const suite = (file) => {
  const [name, url] = [basename(file), pathToFileURL(file).href].map((text) => JSON.stringify(text))
  return `await describe(${name}, { timeout: 180_000 }, async () => { await import(${url}) })\n`
}

mkdirSync(folder)
for (let n = 0; n < count; n++) {
  const mine = files.filter((_, i) => i % count === n)
  writeFileSync(join(folder, `${n + 1}.test.mjs`), `import { describe } from 'node:test'\n${mine.map(suite).join('')}`)
}
