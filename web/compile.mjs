// Compiles folders of the package that it is run in to build, module by module and
// without a look at types, which "npm run check" has: node ../compile.mjs FOLDER...
// esbuild does it, because the compiler of TypeScript takes ten times as long.
import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'

const folders = process.argv.slice(2)
const entryPoints = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.d)\.tsx?$/u.test(name)).map((name) => path.join(folder, name)))

for (const folder of folders) rmSync(path.join('build', folder), { recursive: true, force: true })
await build({ entryPoints, outbase: '.', outdir: 'build', format: 'esm', target: 'es2022', platform: 'node', sourcemap: 'inline', sourcesContent: false, logLevel: 'warning' })
