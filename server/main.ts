#!/usr/bin/env -S node --v8-pool-size=1
import { allCommands, runCommand } from './cli/commands.ts'
import { serveCommand } from './start/serve.ts'
import { VERSION } from './version.ts'

const argv = process.argv.slice(2)
process.exitCode = await runCommand(allCommands(serveCommand), argv, VERSION)
