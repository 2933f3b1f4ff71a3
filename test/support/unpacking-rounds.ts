// A process that unpacks an archive whenever it reads a line, as starts of the one binary do, and
// looks at once whether every file is there: `node FILE CACHE ARCHIVE`.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Archive, digestOf } from '../../server/build/unpacking/archive.ts'
import { unpacked } from '../../server/build/unpacking/unpacked.ts'

const [, , cache, file] = process.argv
const archive = new Archive(readFileSync(file))

function start(): string {
  try {
    const folder = unpacked(archive, { XDG_CACHE_HOME: cache })
    const wrong = archive.index.find(
      ({ name, sha256 }) => digestOf(readFileSync(join(folder, name))) !== sha256,
    )
    return wrong === undefined ? folder : `${wrong.name} is not as it was built`
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown'
  }
}

createInterface({ input: process.stdin }).on('line', () => {
  process.stdout.write(`${start()}\n`)
})
