// The whole program, loaded after the few files that the early listener needs.

import { codeOf, reasonOf } from '../engine/domain/error-code.ts'
import { allCommands } from './cli/commands.ts'
import { runCommand } from './command-line.ts'
import type { EarlyListener } from './edge/http/gateway/listening/early-listener.ts'
import { EXIT } from './shell.ts'
import { serveCommand } from './start/serve-command.ts'
import { TEXT_VERSION } from './version.ts'

/** What a shell reports of a tool that SIGPIPE ended. */
const BROKEN_PIPE = 128 + 13

/**
 * The reader of the output may stop, as in `outcomex export --csv trades | head`. Other tools end
 * by SIGPIPE then, which Node ignores. Any other error means that the output is not whole.
 */
function endWithOutput(): void {
  process.stdout.on('error', (error) => {
    if (codeOf(error) === 'EPIPE') process.exit(BROKEN_PIPE)
    process.stderr.write(`outcomex: standard output cannot be written: ${reasonOf(error)}\n`)
    process.exit(EXIT.FAILED)
  })
}

/** Runs what the line names; resolves with the exit code. */
export function runLine(argv: readonly string[], listener: EarlyListener | null): Promise<number> {
  // Nobody can be shown that errors cannot be shown, and they must not become other errors.
  process.stderr.on('error', () => {})
  endWithOutput()
  return runCommand(allCommands(serveCommand(listener)), argv, TEXT_VERSION)
}
