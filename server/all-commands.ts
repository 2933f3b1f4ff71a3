// The whole program, behind the few files that a start needs for its door.

import { allCommands, runCommand } from './cli/commands.ts'
import type { Door } from './http/gateway/listening/door.ts'
import { serveCommand } from './start/serve.ts'
import { SAID_VERSION } from './version.ts'

/** Runs what the line names; resolves with the exit code. */
export function runLine(argv: readonly string[], door: Door | null): Promise<number> {
  return runCommand(allCommands(serveCommand(door)), argv, SAID_VERSION)
}
