import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BusyTimes } from '../../../engine/thread/busy-times.ts'
import { Distribution, MICROS } from '../../../engine/thread/distribution.ts'
import { openReadOnly } from '../../../persistence/database.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { readPath } from '../../../persistence/follower/read-database.ts'
import { SlicedPace } from '../../../persistence/follower/sliced-pace.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { freshSeed } from '../../support/random.ts'

const TABLES = ['orders', 'trades', 'maker_fills', 'traders', 'positions', 'applied']
const CHUNK_COMMANDS = 8192

/** A journal whose last batch is a chunk of its own, and the follower's figures after it. */
function follow(dataDir: string, seq: number, behindCount: number) {
  const busyTimes = new BusyTimes()
  const commits = Distribution.allocate(MICROS)
  const waiting = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const progress = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const pace = new SlicedPace({ busyTimes: busyTimes.cells, commits, waiting, progress })
  const follower = new Follower(keyed(dataDir), { pace })
  let steps = 0
  for (let hasMore = true; hasMore; steps++) {
    pace.begin(behindCount)
    hasMore = follower.step(seq)
    pace.end()
    assert.equal(follower.readSeq, follower.stateSeq, 'a chunk ends with its transaction')
  }
  const { hash } = follower.state()
  follower.close()
  const connection = openReadOnly(readPath(dataDir))
  const rows = TABLES.map((table) => connection.prepare(`SELECT * FROM ${table}`).all())
  connection.close()
  const commitCount = new Distribution(MICROS, commits).count
  return { hash, rows, steps, busyCount: busyTimes.micros.count, commitCount }
}

test('slices divide a batch of thousands, and change neither the state nor the tables', () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(freshSeed())
  flow.run(12_000)
  fillJournal(dataDir, flow.records, 3000)
  const other = copyFolder(dataDir)
  const near = follow(dataDir, flow.seq, 1)
  const far = follow(other, flow.seq, Number.POSITIVE_INFINITY)
  assert.equal(near.hash, far.hash)
  assert.deepEqual(near.rows, far.rows)
  assert.equal(near.steps, far.steps)
  assert.equal(near.commitCount, near.steps)
  // Far behind, a chunk is one busy time before its commit and one after it.
  assert.equal(far.busyCount, 2 * far.steps)
  const fewest = flow.seq / CHUNK_COMMANDS
  assert.ok(near.busyCount > 10 * fewest, `${near.busyCount} slices`)
})
