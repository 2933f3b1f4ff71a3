import { FAULT_POINTS, FAULT_VARIABLE, POINTS, readFault } from '../../engine/thread/fault-point.ts'
import { type Environment, WrongUse } from './flags.ts'

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
