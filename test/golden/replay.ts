import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import type { Command } from '../../engine/domain/command.ts'
import { nativeSha256 } from '../../engine/thread/native-sha256.ts'
import { decodeCommand } from '../../engine/wire/codec.ts'
import { rebuildReadTables } from '../../persistence/follower/rebuild.ts'
import { SqliteJournalWriter } from '../../persistence/journal/sqlite-journal.ts'
import { recoverJournal } from '../../persistence/snapshot/recovery.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { newFolder } from '../support/data-folder.ts'
import { recoverAll, writeBatches } from '../support/journal-records.ts'
import { freshSeed, Random } from '../support/random.ts'
import { NEWEST, type Recording, readRecording } from './recording.ts'

const SLOTS = 1024
/** Folders that are cut, of the newest recording and of an older one. */
const [NEW_SAMPLES, OLD_SAMPLES] = [24, 6]
/** One prefix in so many is replayed, of the newest recording and of an older one. */
const [NEW_STRIDE, OLD_STRIDE] = [32, 256]
/** One command in so many of an older recording has its hash checked. */
const OLD_HASHES = 16
const PARTS = 4

export const newExchange = () => new Exchange(new OrderTable(SLOTS))

/** Commits the records in batches of seeded sizes, and calls `visit` after each commit. */
function commitInBatches(
  dataDir: string,
  { records }: Recording,
  random: Random,
  visit: (seq: number) => void,
): void {
  writeBatches(dataDir, 0).close()
  const { tail, folder } = recoverJournal(dataDir, { visit: () => {} })
  const writer = new SqliteJournalWriter(folder, 'full', tail)
  for (let seq = 0; seq < records.length; ) {
    const batch = records.slice(seq, seq + random.between(1, 30))
    seq += batch.length
    writer.commit(seq, Buffer.concat(batch))
    visit(seq)
  }
  writer.close()
}

/** The files after a power cut: the database, its WAL up to one byte, and the head before it. */
function folderCutAt(from: string, walBytes: number, head: Uint8Array): string {
  const path = newFolder()
  for (const name of ['server.key', 'journal.db']) copyFileSync(join(from, name), join(path, name))
  const wal = readFileSync(join(from, 'journal.db-wal'))
  writeFileSync(join(path, 'journal.db-wal'), wal.subarray(0, walBytes))
  writeFileSync(join(path, 'journal.head'), head)
  return path
}

/** What every later version must derive from a recording. */
export function replays(name: string): void {
  const recording = readRecording(name)
  const commands: readonly Command[] = recording.records.map(decodeCommand)
  const { hashes } = recording
  // An older recording passed with more hashes, prefixes and cuts when it was the newest.
  const isNewest = name === NEWEST

  test(`${name}: each command gives its recorded state`, () => {
    const exchange = newExchange()
    const every = isNewest ? 1 : OLD_HASHES
    for (const [index, command] of commands.entries()) {
      exchange.apply(command)
      if ((commands.length - index - 1) % every > 0) continue
      assert.equal(exchange.stateHash(nativeSha256), hashes[index], `after seq ${index + 1}`)
    }
    assert.equal(exchange.checkInvariants(), null)
  })

  const stride = isNewest ? NEW_STRIDE : OLD_STRIDE
  const samples = isNewest ? NEW_SAMPLES : OLD_SAMPLES
  // In parts, so that a slow machine shows that it goes on.
  for (let part = 0; part < PARTS; part++) {
    test(`${name}: each prefix gives its recorded state, ${part + 1} of ${PARTS}`, () => {
      for (let count = 1 + part * stride; count <= commands.length; count += stride * PARTS) {
        const exchange = newExchange()
        for (let index = 0; index < count; index++) exchange.apply(commands[index])
        assert.equal(exchange.stateHash(), hashes[count - 1], `the first ${count} commands`)
      }
    })
  }

  test(`${name}: a folder cut at a commit or inside one gives its last whole state`, () => {
    const random = new Random(freshSeed())
    const dataDir = newFolder()
    const wal = join(dataDir, 'journal.db-wal')
    let before = { seq: 0, walBytes: 0, head: new Uint8Array(0) }
    let cuts = 0
    let torn = 0
    const check = (folder: string, seq: number) => {
      const found = recoverAll(folder)
      assert.deepEqual([found.tail.seq, found.stateHash], [seq, hashes[seq - 1]])
      if (cuts++ % 4 === 0) assert.equal(verifyFolder(folder).stateHash, hashes[seq - 1])
    }
    commitInBatches(dataDir, recording, random, (seq) => {
      const walBytes = statSync(wal).size
      const head = readFileSync(join(dataDir, 'journal.head'))
      if (before.seq > 0 && random.chance((2 * samples) / 130)) {
        // An unfinished commit: some of its bytes are written, and no client was notified of it.
        const tornBytes = random.between(before.walBytes, walBytes - 1)
        if (tornBytes > before.walBytes) torn++
        check(folderCutAt(dataDir, tornBytes, before.head), before.seq)
      }
      before = { seq, walBytes, head }
    })
    assert(cuts > samples / 2 && torn > samples / 4, `${cuts} cuts, ${torn} of them torn`)
    assert.equal(rebuildReadTables(dataDir), commands.length)
    check(dataDir, commands.length)
  })
}
