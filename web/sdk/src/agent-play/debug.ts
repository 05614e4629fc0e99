import { currentProcess } from '../world/account_file.js'

let configured: boolean | undefined

/** Switches the debug output on or off; without `debug` the variable `AGENT_PLAY_DEBUG` decides. */
export function configureAgentPlayDebug({ debug }: { readonly debug?: boolean }): void {
  configured = debug
}

/** Lets the variable `AGENT_PLAY_DEBUG` decide about the debug output. */
export function resetAgentPlayDebug(): void {
  configured = undefined
}

/** Reports whether the debug output is on. Then each `RemotePlayWorld` logs, as with `logging: 'on'`. */
export function isAgentPlayDebugEnabled(): boolean {
  return configured ?? currentProcess()?.env.AGENT_PLAY_DEBUG === '1'
}

/** Prints a line if the debug output is on. */
export function agentPlayDebug(scope: string, message: string, detail?: unknown): void {
  // eslint-disable-next-line no-console -- the program asked for it
  if (isAgentPlayDebugEnabled()) console.debug(`[agent-play:${scope}] ${message}`, ...(detail === undefined ? [] : [detail]))
}
