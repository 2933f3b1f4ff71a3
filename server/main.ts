#!/usr/bin/env -S node --v8-pool-size=1
import { closeDebugger } from './start/first-signals.ts'

// All other modules are imported later, because an import runs before the first line of its
// importer.
const argv = process.argv.slice(2)
const { openEarlyListener } = await import('./start/early-listener.ts')
const listener = await openEarlyListener(argv)
const { runLine } = await import('./all-commands.ts')
closeDebugger()
process.exitCode = await runLine(argv, listener)
