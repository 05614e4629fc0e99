// Runs all compiled tests below a folder in this one process: node test-all.mjs FOLDER
import { readdirSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const folder = path.resolve(process.argv[2])
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
  if (name.endsWith('.test.js')) await import(path.join(folder, name))
}
