import { type AdminLine, adminLines } from '../../server/cli/admin/admin-lines.ts'
import { adminRoutes } from '../../server/cli/admin/admin-routes.ts'
import { splitLine } from '../../server/command-line.ts'

const lines = adminLines(await adminRoutes())

/** The call of a line of `outcomex admin`. */
export function readAdminLine(words: readonly string[]): AdminLine {
  return lines.read(splitLine(lines.grammar, words, {}))
}
