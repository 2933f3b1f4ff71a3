import { FAULT_POINTS, FAULT_VARIABLE, POINTS, readFault } from '../../engine/thread/fault-point.ts'
import {
  type AnySetting,
  type Environment,
  isServiceLink,
  VARIABLE_HEAD,
  WrongUse,
} from './flags.ts'

/** Number of edits that turn one word into the other (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let at = 1; at <= from.length; at++) {
    const next = [at]
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1] + (from[at - 1] === to[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[column] + 1, next[column - 1] + 1))
    }
    row = next
  }
  return row[to.length]
}

/** The word that was probably meant; undefined when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const plain = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 2))
  for (const candidate of known) {
    const edits = distance(plain, candidate.toLowerCase())
    // People also write a word too short or too long, as often as they mistype a letter.
    const isCut = plain.length >= 3 && candidate.toLowerCase().startsWith(plain)
    const score = isCut ? Math.min(edits, 1) : edits
    if (score <= bestDistance && (best === undefined || score < bestDistance)) {
      best = candidate
      bestDistance = score
    }
  }
  return best
}

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

/** Gives a sentence when the environment asks for a fault, else null. */
export function faultRequested(env: Environment): string | null {
  const text = env[FAULT_VARIABLE]
  if (text === undefined) return null
  const requested = readFault(text)
  if (requested !== null) {
    const isFatal = FAULT_POINTS.some((point) => point === requested.point)
    const what = isFatal ? 'this process will kill itself' : 'a call or a thread will break'
    return `${FAULT_VARIABLE}=${text}: ${what} there`
  }
  throw new WrongUse(
    `${FAULT_VARIABLE} must be a point and a passing, like before-commit:137, not '${text}'; ` +
      `the points are ${POINTS.join(', ')}`,
  )
}
