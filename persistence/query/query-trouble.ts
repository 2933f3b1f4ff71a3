import { codeOf } from '../../engine/domain/error-code.ts'

const TROUBLE =
  /SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|NOMEM|FULL|PROTOCOL|INTERRUPT)|\b(EMFILE|ENFILE|EAGAIN)\b/

/**
 * Says whether a question failed because the machine had no room at that moment: no descriptor
 * left, a disk that did not read, a locked table. The same question may succeed later.
 */
export function isTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return TROUBLE.test(`${codeOf(error)} ${error.message}`)
}
