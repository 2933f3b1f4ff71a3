import type { Kind, Setting } from './flags.ts'

// Rows of `outcomex serve`: a flag `--header-prefix` is also the environment variable
// OUTCOMEX_HEADER_PREFIX and the key "header-prefix" of the config file.

export const VARIABLE_HEAD = 'OUTCOMEX_'

export function setting<T>(flag: string, kind: Kind<T>, fallback: T, help: string): Setting<T> {
  const variable = `${VARIABLE_HEAD}${flag.toUpperCase().replaceAll('-', '_')}`
  return { flag, kind, fallback, help, variable }
}

/** One without a default. */
export function maybe<T>(flag: string, kind: Kind<T>, help: string): Setting<T | undefined> {
  return setting<T | undefined>(flag, kind, undefined, help)
}

/** A flag of one command, without a variable. */
export function flagOf<T>(flag: string, kind: Kind<T>, fallback: T, help: string): Setting<T> {
  return { flag, kind, fallback, help }
}

/** A flag that a command cannot do without; its fallback only gives the type of its value. */
export function requiredFlag<T>(
  flag: string,
  kind: Kind<T>,
  fallback: T,
  help: string,
): Setting<T> {
  return { flag, kind, fallback, help, isRequired: true }
}
