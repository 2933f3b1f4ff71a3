#!/usr/bin/env -S node --v8-pool-size=1
import { closeDebugger } from './start/first-signals.ts'

// Everything else is imported later: what a file imports runs before its own first line.
const argv = process.argv.slice(2)
const { openEarlyListener } = await import('./start/early-listener.ts')
const listener = await openEarlyListener(argv)
const { runLine } = await import('./all-commands.ts')
closeDebugger()
process.exitCode = await runLine(argv, listener)
