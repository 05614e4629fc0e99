// Compiles folders of the package that it is run in to build, module by module and
// without a look at types, which "npm run check" has: node ../compile.mjs FOLDER...
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import ts from 'typescript'

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd(), { noEmit: false, inlineSourceMap: true })
const compilerOptions = { ...options, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }

for (const folder of process.argv.slice(2)) {
  rmSync(path.join('build', folder), { recursive: true, force: true })
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/(?<!\.d)\.tsx?$/u.test(name)) continue
    const fileName = path.join(folder, name)
    const { outputText } = ts.transpileModule(readFileSync(fileName, 'utf8'), { fileName: path.resolve(fileName), compilerOptions })
    const output = path.join('build', fileName.replace(/\.tsx?$/u, '.js'))
    mkdirSync(path.dirname(output), { recursive: true })
    writeFileSync(output, outputText)
  }
}
