// The whole program, behind the few files that a start needs for its door.

import { codeOf } from '../engine/domain/error-code.ts'
import { allCommands, runCommand } from './cli/commands.ts'
import type { Door } from './http/gateway/listening/door.ts'
import { serveCommand } from './start/serve.ts'
import { SAID_VERSION } from './version.ts'

/** What a shell reports of a tool that SIGPIPE ended. */
const BROKEN_PIPE = 128 + 13

/**
 * The reader of the output may stop, as in `outcomex export --csv trades | head`. Other tools end
 * by SIGPIPE then, which Node ignores.
 */
function endWithReader(): void {
  process.stdout.on('error', (error) => {
    if (codeOf(error) !== 'EPIPE') throw error
    process.exit(BROKEN_PIPE)
  })
}

/** Runs what the line names; resolves with the exit code. */
export function runLine(argv: readonly string[], door: Door | null): Promise<number> {
  if (argv[0] !== 'serve') endWithReader()
  return runCommand(allCommands(serveCommand(door)), argv, SAID_VERSION)
}
