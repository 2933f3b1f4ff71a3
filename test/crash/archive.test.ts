import assert from 'node:assert/strict'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import { balanceDigest } from '../../engine/core/state/balance-digest.ts'
import { eachRecord, recordMs } from '../../engine/wire/codec.ts'
import { coveredSeq } from '../../persistence/archive/covered-seq.ts'
import { dropSegments } from '../../persistence/archive/drop-segments.ts'
import { Follower } from '../../persistence/follower/follower.ts'
import { sealSegment } from '../../persistence/journal/segments/seal-segment.ts'
import {
  archivedNames,
  archiveFolder,
  segmentNames,
} from '../../persistence/journal/segments/segment-folder.ts'
import { SqliteJournalWriter } from '../../persistence/journal/sqlite-journal.ts'
import { SqliteJournalReader } from '../../persistence/journal/sqlite-reader.ts'
import { journalEnd } from '../../persistence/snapshot/recovery.ts'
import { CommandFlow } from '../support/command-flow.ts'
import { copyFolder, keyed, newFolder } from '../support/data-folder.ts'
import { dies, done, keyOf, refused, run, verified } from '../support/folder-commands.ts'
import { fillJournal } from '../support/journal-fill.ts'
import { freshSeed, Random } from '../support/random.ts'
import { compileProgram, runProgram, ServerProcess } from '../support/server-process.ts'

// Segments of the journal: in backups, moved away, and put back.

const random = new Random(freshSeed())
await compileProgram()

const COMMANDS = 3000
const BATCH = 32
/** Commands at the two snapshots. */
const SAVED = [62 * BATCH, 75 * BATCH]

/** Commands of the early backup. */
const EARLY = 30 * BATCH
const early = join(newFolder(), 'backup')

/** A folder with read tables and two snapshots, and nothing sealed; and its backup at `EARLY`. */
async function folderWithSnapshots(): Promise<string> {
  const dataDir = newFolder()
  const flow = new CommandFlow(random.between(1, 1e6))
  while (flow.seq < COMMANDS) flow.run(1)
  const records = [...flow.records]
  fillJournal(dataDir, records.slice(0, EARLY), BATCH)
  await done('backup', { data: dataDir, to: early })
  fillJournal(dataDir, records.slice(EARLY), BATCH)
  const follower = new Follower(keyed(dataDir))
  for (const seq of [...SAVED, flow.seq]) {
    while (follower.step(seq));
    if (seq === flow.seq) break
    follower.order({ seq, balances: balanceDigest(follower.exchange.clearing) })
    assert.equal((await follower.takeDue())?.failure, null)
  }
  while (follower.writePage());
  follower.close()
  return dataDir
}

/** Seals what the snapshots cover, in segments of about this length, up to `throughSeq`. */
function seal(dataDir: string, throughSeq = coveredSeq(keyed(dataDir)), bytesMax = 150_000): void {
  const folder = keyed(dataDir)
  const { tail } = journalEnd(folder)
  const writer = new SqliteJournalWriter(folder, 'normal', tail)
  const request = { throughSeq, beforeMs: Number.MAX_VALUE, bytesMax }
  for (let afterSeq = 0; ; ) {
    const segment = sealSegment(folder, afterSeq, request)
    if (segment === null) break
    writer.addSegment(segment)
    afterSeq = segment.lastSeq
  }
  while (writer.clean());
  writer.close()
}

/** The first command in journal.db itself. */
function firstRow(dataDir: string, keyDir = dataDir): number {
  const reader = new SqliteJournalReader({ ...keyed(keyDir), dataDir })
  const [first] = reader.shapes(1)
  reader.close()
  return first.firstSeq
}

/** Names and inodes: a file that is copied again has another inode. */
function filesOf(dataDir: string): string[] {
  return archivedNames(dataDir)
    .sort()
    .map((name) => `${name} ${statSync(join(archiveFolder(dataDir), name)).ino}`)
}

const whole = await folderWithSnapshots()

test('what two snapshots cover is sealed, and no more', () => {
  const data = copyFolder(whole)
  assert.equal(coveredSeq(keyed(data)), SAVED[0])
  seal(data)
  assert.equal(firstRow(data), SAVED[0] + 1)
  assert.ok(archivedNames(data).length > 2)
  rmSync(join(data, 'snapshots', `${SAVED[1]}.snapshot`))
  assert.equal(coveredSeq(keyed(data)), 0, 'one snapshot covers nothing')
})

test('a folder with segments has the state and the tables of one without', async () => {
  const data = copyFolder(whole)
  seal(data)
  const key = keyOf(data)
  assert.deepEqual(await verified(data, key), await verified(copyFolder(whole), key))
  await done('rebuild', { data })
  assert.deepEqual(await verified(data, key), await verified(copyFolder(whole), key))
})

test('a backup takes a segment once, and then drops the rows that it has', async () => {
  const data = copyFolder(whole)
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  await done('backup', { data, to })
  assert.equal(firstRow(data), 1)
  seal(data, 20 * BATCH)
  await done('backup', { data, to })
  const before = filesOf(to)
  assert.deepEqual(archivedNames(to).sort(), archivedNames(data).sort())
  seal(data)
  await done('backup', { data, to })
  const files = filesOf(to)
  assert.deepEqual(
    before.filter((file) => !files.includes(file)),
    [],
  )
  assert.ok(files.length > before.length)
  const target = join(newFolder(), 'restored')
  await done('restore', { data: target, from: to, key })
  assert.equal(firstRow(target, data), SAVED[0] + 1)
  await done('rebuild', { data: target, key })
  assert.deepEqual(await verified(target, key), await verified(data, key))
})

test('a backup keeps rows whose segment is elsewhere, and takes it when it is back', async () => {
  const data = copyFolder(whole)
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  await done('backup', { data, to })
  seal(data)
  const elsewhere = newFolder()
  await done('archive', { data, to: elsewhere })
  await done('backup', { data, to })
  assert.equal(firstRow(to, data), 1, 'its rows are all that it has')
  const target = join(newFolder(), 'restored')
  await done('restore', { data: target, from: to, key })
  await done('rebuild', { data: target, key })
  assert.deepEqual(await verified(target, key), await verified(copyFolder(whole), key))
  const late = join(newFolder(), 'late')
  await done('backup', { data, to: late })
  assert.deepEqual(archivedNames(late), [])
  for (const name of readdirSync(elsewhere)) {
    copyFileSync(join(elsewhere, name), join(archiveFolder(data), name))
  }
  for (const copy of [to, late]) {
    await done('backup', { data, to: copy })
    assert.deepEqual(archivedNames(copy).sort(), archivedNames(data).sort())
    assert.equal(firstRow(copy, data), SAVED[0] + 1)
  }
})

test('a complete backup can be restored when its update died anywhere', async () => {
  const data = copyFolder(whole)
  const key = keyOf(data)
  seal(data)
  for (const passing of [1, 2, archivedNames(data).length]) {
    const to = copyFolder(early)
    await dies('backup', { data, to }, `mid-backup:${passing}`)
    const target = join(newFolder(), 'restored')
    await done('restore', { data: target, from: to, key })
    await done('rebuild', { data: target, key })
    const { seq } = await verified(target, key)
    assert.ok(seq >= EARLY, `it has ${seq} commands`)
  }
})

test('without its oldest segments, verify still finds a changed row or list', async () => {
  const data = copyFolder(whole)
  seal(data, 30 * BATCH)
  await done('archive', { data, to: newFolder() })
  assert.match(await done('verify', { data }), /^The folder is sound/m)
  for (const sql of [
    `UPDATE batches SET records = zeroblob(length(records)) WHERE first_seq = ${31 * BATCH + 1}`,
    `DELETE FROM batches WHERE first_seq BETWEEN ${31 * BATCH} AND ${33 * BATCH}`,
    'DELETE FROM segments WHERE first_seq > 1 AND first_seq < 800',
    'UPDATE segments SET checksum = zeroblob(32)',
  ]) {
    const changed = copyFolder(data)
    const db = new SqliteDatabase(join(changed, 'journal.db'))
    db.exec(sql)
    db.close()
    const { code, stderr } = await run('verify', { data: changed })
    assert.equal(code, 1, `${sql}: ${stderr}`)
  }
})

test('a backup that dies among its segments goes on where it ended', async () => {
  const data = copyFolder(whole)
  seal(data)
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  for (const passing of [1, 1, 2]) await dies('backup', { data, to }, `mid-backup:${passing}`)
  await done('backup', { data, to })
  assert.deepEqual(archivedNames(to).sort(), archivedNames(data).sort())
  const target = join(newFolder(), 'restored')
  await done('restore', { data: target, from: to, key })
  await done('rebuild', { data: target, key })
  assert.deepEqual(await verified(target, key), await verified(data, key))
})

test('segments that were moved away are named by what needs them, and a start is not', async () => {
  const data = copyFolder(whole)
  seal(data)
  const names = archivedNames(data)
  const elsewhere = join(newFolder(), 'cold')
  const moved = await done('archive', { data, to: elsewhere })
  assert.match(moved, new RegExp(`^${names.length} segments, \\d+ bytes moved away$`))
  assert.deepEqual(archivedNames(data), [])
  assert.match(await done('archive', { data, to: elsewhere }), /^0 segments/)
  const report = await done('verify', { data })
  assert.match(report, /segments moved away: 1\.seg, /)
  const newest = COMMANDS - SAVED[0]
  assert.match(report, new RegExp(`the ${newest} newest of ${COMMANDS} commands`))
  const firsts = names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b)
  const named = segmentNames(firsts.map((firstSeq) => ({ firstSeq })))
  const putBack = new RegExp(`put ${named.replaceAll(/[.()]/g, '\\$&')} back into its folder`)
  await refused('rebuild', { data }, putBack)
  await done('backup', { data, to: join(newFolder(), 'backup') })
  const server = await ServerProcess.start({ dataDir: data, args: ['--accept-clock'] })
  after(() => server.signal('SIGKILL'))
  await server.stop()
  const tables = join(data, 'read.db')
  const db = new SqliteDatabase(tables)
  db.pragma('user_version = 99')
  db.close()
  await refused('rebuild', { data }, /back into its folder archive/)
  const serve = ['serve', '--data', data, '--port', '0', '--accept-clock']
  const { code, stderr } = await runProgram(serve)
  assert.equal(code, 1)
  assert.match(stderr, putBack)
  assert.ok(existsSync(tables), 'they are not deleted before they can be made again')
  for (const name of names) copyFileSync(join(elsewhere, name), join(archiveFolder(data), name))
  const next = await ServerProcess.start({ dataDir: data, args: ['--accept-clock'] })
  await next.stop()
  assert.match(await done('verify', { data }), /The folder is sound: all \d+ commands/)
})

test('segments are deleted by their newest command, and a start needs none', async () => {
  const data = copyFolder(whole)
  seal(data)
  const reader = new SqliteJournalReader(keyed(data))
  const { segments } = reader
  const newestMs = segments.map(({ lastSeq }) => {
    const [{ records }] = [...reader.batches(lastSeq)]
    let ms = 0
    eachRecord(records, (record) => {
      ms = recordMs(record)
    })
    return ms
  })
  reader.close()
  assert.ok(newestMs[0] < newestMs[1] && newestMs.length > 2)
  const left = () => archivedNames(data).length
  dropSegments(keyed(data), newestMs[0])
  assert.equal(left(), segments.length)
  dropSegments(keyed(data), newestMs[0] + 1)
  assert.equal(left(), segments.length - 1)
  dropSegments(keyed(data), newestMs[1] + 1)
  dropSegments(keyed(data), newestMs[1] + 1)
  assert.equal(left(), segments.length - 2)
  dropSegments(keyed(data), Number.MAX_VALUE)
  assert.equal(left(), 0)
  assert.match(await done('verify', { data }), /^The folder is sound/m)
  const server = await ServerProcess.start({ dataDir: data, args: ['--accept-clock'] })
  await server.stop()
  assert.match(await done('verify', { data }), /^The folder is sound/m)
})

test('a segment leaves the folder only when it is safe elsewhere', async () => {
  const data = copyFolder(whole)
  seal(data)
  const names = archivedNames(data)
  const failed = await run('archive --command=false', { data })
  assert.match(failed.stderr, /the command ended with 1, so the file stays/)
  assert.deepEqual(archivedNames(data), names)
  const wrong = newFolder()
  copyFileSync(join(archiveFolder(data), names[1]), join(wrong, '1.seg'))
  await refused('archive', { data, to: wrong }, /it is not the segment that the journal lists/)
  assert.deepEqual(archivedNames(data), names)
  const itself = /it is the archive itself; choose another folder/
  await refused('archive', { data, to: archiveFolder(data) }, itself)
  const linked = join(newFolder(), 'linked')
  symlinkSync(archiveFolder(data), linked)
  await refused('archive', { data, to: linked }, itself)
  assert.deepEqual(archivedNames(data), names)
  const list = join(newFolder(), 'list')
  const { code } = await run('archive', { data }, 0)
  assert.equal(code, 2, 'a place is required')
  const copy = { data, command: `echo $(basename $SEGMENT) >> ${list}` }
  const taken = await runProgram(['archive', '--data', copy.data, '--command', copy.command])
  assert.equal(taken.code, 0, taken.stderr)
  const listed = readFileSync(list, 'utf8').trim().split('\n')
  assert.deepEqual(listed.sort(), names.sort())
  assert.deepEqual(readdirSync(archiveFolder(data)), [])
})

test('a damaged segment stops a verify, an archive and a backup', async () => {
  const data = copyFolder(whole)
  seal(data)
  const path = join(archiveFolder(data), '1.seg')
  appendFileSync(path, 'x')
  const damage = /1\.seg: the segment is damaged/
  await refused('archive', { data, to: newFolder() }, damage)
  assert.match((await run('verify', { data })).stderr, damage)
  await refused('backup', { data, to: join(newFolder(), 'backup') }, damage)
})
