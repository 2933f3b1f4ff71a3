import type { RareCommand, Stamp } from '../../../engine/domain/command.ts'

type Unstamped<T> = T extends unknown ? Omit<T, keyof Stamp> : never

/** A rare command before it is stamped. */
export type RareBody = Unstamped<RareCommand>

/** The same command with the name of the operator who caused it, if an operator did. */
export function byOperator(body: RareBody, by: string | undefined): RareBody {
  return by === undefined ? body : { ...body, by }
}
