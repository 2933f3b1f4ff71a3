// The entry point of the binary: it opens the early listener of an exchange, checks and restores
// the program's files, and runs the program from them. The listener is part of this file, so it
// answers while files are checked.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { openEarlyListener } from '../../start/early-listener.ts'
import { closeDebugger } from '../../start/first-signals.ts'
import { ARCHIVE, Archive } from './archive.ts'
import { keepInUse, unpacking } from './unpacked.ts'

interface Sea {
  getRawAsset(name: string): ArrayBuffer
}

async function filesOf(sea: Sea): Promise<string> {
  const steps = unpacking(new Archive(Buffer.from(sea.getRawAsset(ARCHIVE))))
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    await setImmediate()
  }
}

async function start(argv: readonly string[]): Promise<number> {
  const listener = await openEarlyListener(argv)
  const folder = await filesOf(createRequire(process.execPath)('node:sea'))
  keepInUse(folder)
  // A single executable cannot import a file, but it can require one that does.
  const load = createRequire(join(folder, 'start.cjs'))('./start.cjs')
  const { runLine } = await load(pathToFileURL(join(folder, 'all-commands.js')).href)
  closeDebugger()
  return await runLine(argv, listener)
}

start(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`outcomex: ${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  },
)
