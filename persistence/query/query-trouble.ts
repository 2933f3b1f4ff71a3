import { codeOf } from '../../engine/domain/error-code.ts'

const TROUBLE =
  /SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|NOMEM|FULL|PROTOCOL|INTERRUPT)|\b(EMFILE|ENFILE|EAGAIN)\b/

/**
 * Whether a query failed for a temporary reason of the machine: no file descriptors left, a failed
 * disk read, a locked table. The same query may succeed later.
 */
export function isTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return TROUBLE.test(`${codeOf(error)} ${error.message}`)
}
