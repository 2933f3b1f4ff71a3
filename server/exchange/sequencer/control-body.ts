import type { ControlCommand, Stamp } from '../../../engine/domain/command.ts'
import type { Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'

type Unstamped<T> = T extends unknown ? Omit<T, keyof Stamp> : never

/** A control command before it is stamped. */
export type ControlBody = Unstamped<ControlCommand>

/**
 * Decides a control command (`Sequencer.change`): returns the command, the refusal, or null for
 * nothing to do.
 */
export type Decision = (nowMs: TimeMs) => ControlBody | Reject | null

/** The same command with the name of the operator who caused it, if any. */
export function byOperator(body: ControlBody, by: string | undefined): ControlBody {
  return by === undefined ? body : { ...body, by }
}
