import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import { COMMANDS, type CommandKind } from '../../engine/domain/command-kinds.ts'
import { eachRecord } from '../../engine/wire/codec.ts'

// A recording is the records of a journal, and the state hash after each record. Every later
// version must replay every recording, so none is ever changed or deleted.

/**
 * Raise it, and record again, when commands get a kind, a field or a meaning that the newest
 * recording does not show.
 */
const FORMAT = 14

/** Named by the version of the rules that decided it and by the form of its commands. */
export const NEWEST = `rules-${RULES_VERSION}-format-${FORMAT}`

/** Kinds newer than the newest recording. The next recording, of another format, shows them. */
const NOT_RECORDED: readonly CommandKind[] = []

/** The kinds that the newest recording shows. */
export const RECORDED = Object.keys(COMMANDS).filter(
  (kind) => !NOT_RECORDED.some((each) => each === kind),
)

export interface Recording {
  readonly records: readonly Uint8Array[]
  readonly hashes: readonly string[]
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const RECORDS = '.records.gz'

export function recordingNames(): string[] {
  const files = readdirSync(pathOf('.'))
  const named = files.filter((file) => file.endsWith(RECORDS))
  return named.map((file) => file.slice(0, -RECORDS.length)).sort()
}

export function readRecording(name: string): Recording {
  const records: Uint8Array[] = []
  eachRecord(gunzipSync(readFileSync(pathOf(`${name}${RECORDS}`))), (record) => {
    records.push(record)
  })
  const hashes = readFileSync(pathOf(`${name}.hashes.txt`), 'utf8')
    .trimEnd()
    .split('\n')
  assert.equal(hashes.length, records.length, 'a recording holds a hash for each record')
  return { records, hashes }
}

/** Refuses a name that is taken: a recording is never written over. */
export function writeRecording(name: string, { records, hashes }: Recording): void {
  const path = pathOf(`${name}${RECORDS}`)
  assert(!existsSync(path), `${name} is recorded already; raise FORMAT in test/golden/recording.ts`)
  writeFileSync(path, gzipSync(Buffer.concat(records), { level: 9 }), { flag: 'wx' })
  writeFileSync(pathOf(`${name}.hashes.txt`), `${hashes.join('\n')}\n`, { flag: 'wx' })
}
