#!/usr/bin/env -S node --v8-pool-size=1
import { commands, runCommand } from './cli/commands.ts'
import { serveCommand } from './start/serve.ts'
import { VERSION } from './version.ts'

const argv = process.argv.slice(2)
process.exitCode = await runCommand({ serve: serveCommand, ...commands }, argv, VERSION)
