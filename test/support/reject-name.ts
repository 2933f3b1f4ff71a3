import { Reject } from '../../engine/domain/reject-precedence.ts'

/** The name of a refusal: NONE for none, ASK_TABLES when the tables must be queried first. */
export function rejectName(stated: Reject | symbol | object | null): string {
  if (stated instanceof Reject) return stated.name
  return typeof stated === 'symbol' ? 'ASK_TABLES' : 'NONE'
}
