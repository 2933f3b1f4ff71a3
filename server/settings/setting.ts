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
