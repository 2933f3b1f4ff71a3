// What the binary runs first: it sees to its files and starts the program that lies in them.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ARCHIVE, Archive } from './archive.ts'
import { keepInUse, unpacked } from './unpacked.ts'

interface Sea {
  getRawAsset(name: string): ArrayBuffer
}

const sea: Sea = createRequire(process.execPath)('node:sea')
try {
  const folder = unpacked(new Archive(Buffer.from(sea.getRawAsset(ARCHIVE))))
  keepInUse(folder)
  // A single executable cannot import a file, but a file that it requires can.
  const start = createRequire(join(folder, 'start.cjs'))
  start('./start.cjs')(pathToFileURL(join(folder, 'main.js')).href)
} catch (error) {
  process.stderr.write(`outcomex: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
