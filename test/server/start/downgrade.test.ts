import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { RULES_VERSION } from '../../../engine/core/clearing.ts'
import { encodeControl } from '../../../engine/wire/codec.ts'
import { HEAD } from '../../../engine/wire/record-layout.ts'
import { openWritable } from '../../../persistence/database.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { JOURNAL_SCHEMA } from '../../../persistence/journal/migrations.ts'
import { SqliteJournalWriter } from '../../../persistence/journal/sqlite-journal.ts'
import { recoverJournal } from '../../../persistence/snapshot/recovery.ts'
import { newFolder } from '../../support/data-folder.ts'
import { compileProgram, runProgram, ServerProcess } from '../../support/server-process.ts'

// Folders that a later version has written: each is refused with what to do, and stays as it is.

const traded = newFolder()

before(async () => {
  await compileProgram()
  const server = await ServerProcess.start({ dataDir: traded })
  await server.stop()
})

/** A folder as the server left it. */
function copy(): string {
  const dataDir = newFolder()
  cpSync(traded, dataDir, { recursive: true })
  return dataDir
}

/**
 * Every file with its content, but for the lock and for what readers of SQLite share, which are no
 * data. A file that is empty holds nothing that could change.
 */
function contentOf(dataDir: string): string[] {
  const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).sort()
  return names.flatMap((name) => {
    const path = join(dataDir, name)
    if (name.startsWith('lock.db') || name.endsWith('-shm')) return []
    if (!statSync(path).isFile() || statSync(path).size === 0) return []
    return `${name} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`
  })
}

/** Makes the file as a version with one more migration would. */
function migrate(path: string, schema: typeof READ_SCHEMA): void {
  const migrations = [...schema.migrations, 'SELECT 1']
  const more = { ...schema, migrations, durability: 'full', autocheckpointPages: 0 } as const
  openWritable(path, more).close()
}

/** The next record of the journal, under its key. */
function append(dataDir: string, make: (stamp: { seq: number; nowMs: number }) => Uint8Array) {
  const { tail, folder } = recoverJournal(dataDir, { visit: () => {} })
  const writer = new SqliteJournalWriter(folder, 'full', tail)
  const seq = tail.seq + 1
  writer.commit(seq, make({ seq, nowMs: Date.now() }))
  writer.close()
}

function renamed(record: Uint8Array, from: string, to: string): Uint8Array {
  const text = Buffer.from(record).toString('latin1')
  assert.ok(text.includes(from) && from.length === to.length)
  return Buffer.from(text.replace(from, to), 'latin1')
}

const later: [what: string, write: (dataDir: string) => void, why: RegExp][] = [
  [
    'a schema of the journal',
    (dataDir) => migrate(join(dataDir, 'journal.db'), JOURNAL_SCHEMA),
    /written by a newer outcomex \(schema \d+, this version reads up to \d+\); start the newer/,
  ],
  [
    'rules',
    (dataDir) =>
      append(dataDir, (stamp) => {
        return encodeControl({ kind: 'rules', version: RULES_VERSION + 1, ...stamp })
      }),
    /unknown to this version \(rules 2; this version has 1\); start the version that wrote it/,
  ],
  [
    'a kind of command',
    (dataDir) =>
      append(dataDir, (stamp) => {
        const record = encodeControl({ kind: 'logoutEverywhere', profileId: 1, ...stamp })
        return renamed(record, 'logoutEverywhere', 'loginEverywhere2')
      }),
    /unknown to this version \(a control command has a known kind\); start the version that wrote/,
  ],
  [
    'a kind of record',
    (dataDir) =>
      append(dataDir, (stamp) => {
        const record = encodeControl({ kind: 'logoutEverywhere', profileId: 1, ...stamp })
        record[HEAD.kind] = 250
        return record
      }),
    /unknown to this version \(a record has a known kind\); start the version that wrote it/,
  ],
]

/** The exit code of `verify` for a folder that it could not check. */
const UNCHECKED = 3

for (const [what, write, why] of later) {
  test(`${what} of a later version: the folder is refused, and no byte of it changes`, async () => {
    const dataDir = copy()
    write(dataDir)
    const content = contentOf(dataDir)
    for (const args of [['serve', '--port', '0'], ['verify'], ['rebuild'], ['replay']]) {
      const { code, stdout, stderr } = await runProgram([...args, '--data', dataDir])
      const expected = args[0] === 'verify' ? UNCHECKED : 1
      assert.equal(code, expected, `${args}: ${stdout}${stderr}`)
      assert.match(stderr, why, args.join(' '))
      assert.doesNotMatch(stderr, /^ +at /m, 'no stack: it is no fault')
      assert.deepEqual(contentOf(dataDir), content, args.join(' '))
    }
  })
}

test('tables of a later version are rebuilt, and an export leaves them alone', async () => {
  const dataDir = copy()
  migrate(join(dataDir, 'read.db'), READ_SCHEMA)
  const content = contentOf(dataDir)
  const refused = await runProgram(['export', '--csv', 'trades', '--data', dataDir])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /read\.db: it was written by a newer outcomex .* start the newer/)
  assert.deepEqual(contentOf(dataDir), content)
  const verified = await runProgram(['verify', '--data', dataDir])
  assert.equal(verified.code, 0, verified.stderr)
  assert.match(verified.stdout, /was written by another version of outcomex; the next start/)
  const server = await ServerProcess.start({ dataDir })
  await server.stop()
  const exported = await runProgram(['export', '--csv', 'trades', '--data', dataDir])
  assert.equal(exported.code, 0, exported.stderr)
})
