import { FAULT_POINTS, FAULT_VARIABLE, readFault } from '../../engine/wire/fault-point.ts'
import { type Environment, WrongUse } from './flags.ts'

/** A sentence when the environment asks for a crash, null when it does not. */
export function faultAsked(env: Environment): string | null {
  const text = env[FAULT_VARIABLE]
  if (text === undefined) return null
  if (readFault(text) !== null)
    return `${FAULT_VARIABLE}=${text}: this process will kill itself there`
  throw new WrongUse(
    `${FAULT_VARIABLE} must be a point and a passing, like before-commit:137, not '${text}'; ` +
      `the points are ${FAULT_POINTS.join(', ')}`,
  )
}
