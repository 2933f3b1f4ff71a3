import { Reject } from '../../engine/domain/reject-precedence.ts'

/** The name of a refusal: NONE for none, ASK_TABLES when the tables must be asked first. */
export function rejectName(said: Reject | symbol | object | null): string {
  if (said instanceof Reject) return said.name
  return typeof said === 'symbol' ? 'ASK_TABLES' : 'NONE'
}
