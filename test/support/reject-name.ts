import { Reject } from '../../engine/domain/reject-precedence.ts'

/** The name of a refusal: NONE for none, ASK_TABLES when the tables must be asked first. */
export function rejectName(said: Reject | symbol | null): string {
  if (said === null) return 'NONE'
  return said instanceof Reject ? said.name : 'ASK_TABLES'
}
