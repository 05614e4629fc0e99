import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { asObject, asText, member } from '../json/read.js'
import { callBack } from '../protocol/callback.js'
import type { PlayWorldOptions } from './options.js'
import { loadRootKey } from './root_key.js'

/** The exit code of a guardian that cannot run its program, the same as a shell's. */
const cannotRun = 127

/** A `playctl serve` that belongs to this program and ends with it. */
export class HostProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #temporary: string
  /** Resolves when the host has ended, for any reason. */
  readonly ended: Promise<void>

  private constructor(
    child: ChildProcessWithoutNullStreams,
    temporary: string,
    /** The host's address. */
    readonly url: string,
    /** The world's root key. */
    readonly rootKey: string,
  ) {
    this.#child = child
    this.#temporary = temporary
    this.ended = child.exitCode === null ? once(child, 'exit').then(() => undefined) : Promise.resolve()
  }

  /** Starts a host and waits until it serves. */
  static async start(options: PlayWorldOptions): Promise<HostProcess> {
    const temporary = await mkdtemp(path.join(tmpdir(), 'playworld-'))
    try {
      return await HostProcess.#start(options, temporary)
    } catch (error) {
      await rm(temporary, { recursive: true, force: true })
      throw error
    }
  }

  static async #start(options: PlayWorldOptions, temporary: string): Promise<HostProcess> {
    const rootFile = await rootFileIn(options.repository ?? temporary)
    // This comes before the start of the host: if it fails, no host has to be ended.
    const rootKey = await loadRootKey(rootFile)
    // The host uses only the settings given here, not the user's configuration file or environment.
    const config = path.join(temporary, 'config.yaml')
    await writeFile(config, '')
    const guardian = fileURLToPath(new URL('./guardian.js', import.meta.url))
    const binary = options.binary ?? process.env.PLAYCTL_BINARY ?? 'playctl'
    const child = spawn(process.execPath, [guardian, temporary, binary, ...argumentsOf(options, rootFile)], { env: environmentOf(options, config) })
    const closed = once(child, 'close') as Promise<[number | null]>
    closed.catch(() => undefined)
    // Writing to a guardian that was killed fails.
    child.stdin.on('error', () => undefined)
    const log: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.splice(0, Math.max(0, log.length - 19))
      log.push(line)
      callBack(options.onLog, () => undefined, line)
    })
    const banner = asObject(await bannerOf(child))
    const url = asText(member(banner, 'url'))
    if (url === undefined) {
      child.stdin.end()
      const [code] = await closed
      throw new Error(code === cannotRun
        ? `${log.join(' ')}: install the playctl program, so that it is in the PATH, or say where it is by the option binary or by PLAYCTL_BINARY`
        : `${binary} serve did not start: ${log.join('\n') || 'it said nothing'}`)
    }
    return new HostProcess(child, temporary, url, rootKey)
  }

  /** Shuts the host down and removes the temporary folder. */
  async stop(): Promise<void> {
    this.#child.stdin.end()
    await this.ended
    await rm(this.#temporary, { recursive: true, force: true })
  }
}

function argumentsOf(options: PlayWorldOptions, rootFile: string): string[] {
  const store = options.repository === undefined ? ['--ephemeral'] : ['--data-dir', path.resolve(options.repository)]
  const nodes = options.noRepository === true ? ['--no-repository'] : []
  return ['serve', '--output', 'json', '--listen', options.listen ?? '127.0.0.1:0', '--root-file', rootFile, ...store, ...nodes, ...(options.flags ?? [])]
}

function environmentOf(options: PlayWorldOptions, config: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PLAYCTL_'))
  return {
    ...Object.fromEntries(own),
    PLAYCTL_CONFIG: config,
    // Not an argument: it may contain a password.
    ...(options.playApiBase === undefined ? {} : { PLAYCTL_BRIDGE_URL: options.playApiBase }),
  }
}

/** Returns the path of the root key file in a folder, which is created if there is none. */
async function rootFileIn(folder: string): Promise<string> {
  const file = path.join(path.resolve(folder), 'root.rootkey')
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  try {
    await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 })
    await chmod(file, 0o600)
  } catch (error) {
    if (asText(member(asObject(error), 'code')) !== 'EEXIST') throw error
  }
  return file
}

/** Reads the JSON object that the host prints when it serves; undefined if the host ends before. */
async function bannerOf(child: ChildProcessWithoutNullStreams): Promise<unknown> {
  let text = ''
  for await (const piece of child.stdout.iterator({ destroyOnReturn: false })) {
    text += String(piece)
    try {
      const banner: unknown = JSON.parse(text)
      child.stdout.resume()
      return banner
    } catch {
      continue // the rest has not arrived yet
    }
  }
  return undefined
}
