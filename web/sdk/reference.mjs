// Writes docs/typescript-api.md from the comments and types of the sources.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

const here = import.meta.dirname
const page = path.resolve(here, '../../docs/typescript-api.md')
const contract = '/protocol/contract.d.ts'
/** How many names an entry point repeats at most by name. */
const mostRepeated = 20

/** The declarations of the package, by their path, without what is internal. */
function declarations() {
  const { config } = ts.readConfigFile(path.join(here, 'tsconfig.build.json'), ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, here, { stripInternal: true, emitDeclarationOnly: true, declarationMap: false, sourceMap: false })
  const files = new Map()
  const program = ts.createProgram(fileNames, options)
  program.emit(undefined, (name, text) => { files.set(path.resolve(name), text) }, undefined, true)
  return { options: { ...options, noEmit: true, customConditions: [] }, files }
}

/** A program of those declarations, and the entry points of the package in it. */
function entryPoints() {
  const { options, files } = declarations()
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  host.readFile = (name) => files.get(path.resolve(name)) ?? readFile(name)
  host.fileExists = (name) => files.has(path.resolve(name)) || fileExists(name)
  host.directoryExists = () => true
  const { exports: entries } = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'))
  const points = Object.entries(entries).flatMap(([name, { types }]) => (types === undefined ? [] : [{ name: path.posix.join('@playctl/sdk', name), file: path.join(here, types) }]))
  const program = ts.createProgram(points.map(({ file }) => file), options, host)
  return { checker: program.getTypeChecker(), points: points.map((point) => ({ ...point, source: program.getSourceFile(point.file) })) }
}

const printer = ts.createPrinter({ newLine: ts.NewLineKind.LineFeed })

/** A declaration as it is written, without its own comment and what is private. */
function written(node) {
  const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node
  const source = whole.getSourceFile()
  if (!ts.isClassDeclaration(whole)) return whole.getText(source)
  const open = (member) => (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) === 0 && !(member.name !== undefined && ts.isPrivateIdentifier(member.name))
  const members = whole.members.filter(open).map((member) => source.text.slice(member.getFullStart(), member.end).replace(/^\n/u, ''))
  const head = printer.printNode(ts.EmitHint.Unspecified, ts.factory.updateClassDeclaration(whole, whole.modifiers, whole.name, whole.typeParameters, whole.heritageClauses, []), source)
  return [head.replace(/^\/\*\*[^]*?\*\/\n/u, '').replace(/\{\s*\}$/u, '{'), ...members, '}'].join('\n')
}

const plain = (parts) => ts.displayPartsToString(parts).replaceAll('\n', ' ').trim()

/** What a module exports: what is declared in it by name, and the names of types of the protocol. */
function exported(checker, source) {
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).sort((a, b) => (a.name < b.name ? -1 : 1))
  const described = []
  const ofProtocol = []
  for (const symbol of symbols) {
    const target = (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
    const nodes = (target.declarations ?? []).filter((node) => !ts.isSourceFile(node))
    if (nodes.some((node) => node.getSourceFile().fileName.endsWith(contract))) ofProtocol.push(symbol.name)
    else if (nodes.length > 0) described.push({ name: symbol.name, doc: plain(target.getDocumentationComment(checker)), code: [...new Set(nodes.map(written))].join('\n') })
  }
  return { described, ofProtocol }
}

/** The comment at the head of a module. */
function headOf(source) {
  const [, comment = ''] = /\/\*\*([^]*?)@packageDocumentation/u.exec(source.text) ?? []
  return comment.replaceAll(/^\s*\* ?/gmu, '').replaceAll('\n', ' ').trim()
}

/** The section of an entry point; `seen` has what was described before. */
function section(checker, { name, source }, seen) {
  const { described, ofProtocol } = exported(checker, source)
  const isNew = (one) => !seen.has(one.name + one.code)
  const again = described.filter((one) => !isNew(one))
  const first = described.filter(isNew)
  for (const one of first) seen.add(one.name + one.code)
  const names = (list) => list.map((one) => `\`${one}\``).join(', ')
  return [
    `## ${name}`, headOf(source),
    ...first.map(({ name: title, doc, code }) => [`### ${title}`, ...(doc === '' ? [] : [doc]), `\`\`\`ts\n${code}\n\`\`\``].join('\n\n')),
    ...(again.length > mostRepeated ? ['It exports as well what is described under `@playctl/sdk`.'] : again.length > 0 ? [`It exports as well, as described above: ${names(again.map((one) => one.name))}.`] : []),
    ...(ofProtocol.length > 0 && again.length <= mostRepeated ? [`Types of rows, requests, replies and events, which [the protocol](protocol.md) describes: ${names(ofProtocol)}.`] : []),
  ].join('\n\n')
}

function made() {
  const { checker, points } = entryPoints()
  const seen = new Set()
  const sections = points.map((point) => section(checker, point, seen))
  return `# Reference of the TypeScript client

<!-- Written by \`npm --prefix web run reference --workspace sdk\` from the comments in web/sdk/src; do not edit. -->

Every name that the package exports, by entry point. [Use a world from TypeScript](typescript.md) says how they go together.

${sections.join('\n\n')}
`
}

writeFileSync(page, made())
