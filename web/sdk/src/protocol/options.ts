import { OptionError } from './errors.js'

/** The names of all options of a type: the compiler refuses a list that lacks one or has another. */
export type OptionNames<Options> = Readonly<Record<keyof Required<Options>, true>>

/**
 * Refuses an option that a function does not have: misspelled, it would have no effect, and one that belongs elsewhere
 * may hold a secret. The error names the option and not its value.
 */
export function checkOptions<Options extends object>(call: string, given: Options, names: OptionNames<Options>): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !Object.hasOwn(names, name)) throw new OptionError(`${call} has no option ${JSON.stringify(name)}: remove it`)
  }
}
