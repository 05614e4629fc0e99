import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { tmpdir } from 'node:os'
import path from 'node:path'
import ts from 'typescript'
import { playctl, repository } from './repository.js'

const web = path.join(repository, 'web')

/** The declarations in node_modules, which all projects share, by file and language options. */
const declarations = new Map<string, ts.SourceFile | undefined>()

/** Returns a compiler host that reads the shared declarations once. */
function libraries(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (name, language, ...rest) => {
    if (!name.startsWith(path.join(web, 'node_modules'))) return read(name, language, ...rest)
    const key = `${name} ${JSON.stringify(language)}`
    if (!declarations.has(key)) declarations.set(key, read(name, language, ...rest))
    return declarations.get(key)
  }
  return host
}

/** A fresh project in which the package is installed as `npm pack` makes it; test/run.mjs packs it once. */
export class Project {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'playctl-sdk-pack-'))
  /** The files in the package. */
  readonly files: readonly string[]

  constructor() {
    const { PLAYCTL_PACKED: packed } = process.env
    if (!packed) throw new Error('PLAYCTL_PACKED names no package: run the tests with "npm test -w sdk"')
    this.files = (JSON.parse(readFileSync(path.join(packed, 'files.json'), 'utf8')) as { path: string }[]).map((file) => file.path)
    this.write('package.json', '{ "private": true, "type": "module" }')
    this.run('npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', path.join(packed, 'package.tgz'))
  }

  write(name: string, text: string): void {
    writeFileSync(path.join(this.folder, name), text)
  }

  /** Copies a file of the repository to the project's top folder. */
  copy(name: string): void {
    cpSync(path.join(repository, name), path.join(this.folder, path.basename(name)))
  }

  /** Runs a program in the project and returns its output. */
  run(command: string, ...args: string[]): string {
    return execFileSync(command, args, { cwd: this.folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: this.#environment({}) })
  }

  /** Compiles the project and the package in it, as `tsc --project .` does with some options, and returns the errors. */
  compile(options: ts.CompilerOptions = {}): readonly string[] {
    const { config } = ts.readConfigFile(path.join(this.folder, 'tsconfig.json'), (name) => ts.sys.readFile(name)) as { config: unknown }
    const parsed = ts.parseJsonConfigFileContent(config, ts.sys, this.folder, { typeRoots: [path.join(web, 'node_modules/@types')], ...options })
    const program = ts.createProgram(parsed.fileNames, parsed.options, libraries(parsed.options))
    const problems = [
      ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(),
      // The platform's declarations are not checked.
      ...program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(this.folder))
        .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
      ...(parsed.options.noEmit === true ? [] : program.emit().diagnostics),
    ]
    return problems.map(({ file, messageText }) => `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)
  }

  /** Starts a program of the project. */
  start(name: string, environment: Readonly<Record<string, string>>): ChildProcessByStdio<null, null, Readable> {
    return spawn(process.execPath, [name], { cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'], env: this.#environment(environment) })
  }

  #environment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    return { ...process.env, PLAYCTL_BINARY: playctl(), ...more }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
