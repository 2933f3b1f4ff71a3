#!/usr/bin/env -S node --v8-pool-size=1
import { codeOf } from '../engine/domain/error-code.ts'
import { allCommands, runCommand } from './cli/commands.ts'
import { serveCommand } from './start/serve.ts'
import { SAID_VERSION } from './version.ts'

const argv = process.argv.slice(2)
if (argv[0] !== 'serve') {
  // Whoever reads the output may stop, as in `outcomex export --csv trades | head`.
  process.stdout.on('error', (error) => {
    if (codeOf(error) !== 'EPIPE') throw error
    process.exit()
  })
}
process.exitCode = await runCommand(allCommands(serveCommand), argv, SAID_VERSION)
