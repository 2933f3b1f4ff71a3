import { flagOf, type Setting } from '../settings/flags.ts'
import { file, optional, words } from '../settings/kinds.ts'

// Flags that several commands have, each with its own meaning.

/** The address of a server; undefined when it is not given. */
export function urlFlag(flag: string, help: string): Setting<string | undefined> {
  return flagOf(flag, optional(words('URL', 'the address of the server')), undefined, help)
}

/** A file to read or write; undefined when it is not given. */
export function fileFlag(flag: string, help: string): Setting<string | undefined> {
  return flagOf(flag, optional(file), undefined, help)
}
