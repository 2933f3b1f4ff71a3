import type { RareCommand, Stamp } from '../../../engine/domain/command.ts'
import type { Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'

type Unstamped<T> = T extends unknown ? Omit<T, keyof Stamp> : never

/** A rare command before it is stamped. */
export type RareBody = Unstamped<RareCommand>

/**
 * Decides a rare command (`Sequencer.change`): the command, the refusal, or null for nothing to do.
 */
export type Decision = (nowMs: TimeMs) => RareBody | Reject | null

/** The same command with the name of the operator who caused it, if an operator did. */
export function byOperator(body: RareBody, by: string | undefined): RareBody {
  return by === undefined ? body : { ...body, by }
}
