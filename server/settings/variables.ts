import { FAULT_VARIABLE } from '../../engine/thread/fault-point.ts'
import { type AnySetting, type Environment, VARIABLE_HEAD, WrongUse } from './flags.ts'
import { nearest } from './nearest.ts'
import { isServiceLink } from './service-links.ts'

/** A variable that begins as the settings do and is none of them is a mistyped one. */
export function refuseUnknownVariables(env: Environment, rows: readonly AnySetting[]): void {
  const known = [...rows.flatMap((row) => row.variable ?? []), FAULT_VARIABLE]
  for (const name of Object.keys(env)) {
    if (!name.startsWith(VARIABLE_HEAD) || known.includes(name)) continue
    if (isServiceLink(name, env[name] ?? '')) continue
    // Compares the ends only: with their common head every name would be near to every other.
    const ends = known.map((each) => each.slice(VARIABLE_HEAD.length))
    const near = nearest(name.slice(VARIABLE_HEAD.length), ends)
    const hint = near === undefined ? 'see --help' : `did you mean ${VARIABLE_HEAD}${near}?`
    throw new WrongUse(`There is no environment variable ${name}; ${hint}`)
  }
}
