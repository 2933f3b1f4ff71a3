import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { balanceDigest } from '../../../engine/core/state/balance-digest.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { snapshotSeqs } from '../../../persistence/snapshot/snapshot-folder.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { keyed, newFolder } from '../../support/data-folder.ts'
import { recordAt, startJournal, writeBatches } from '../../support/journal-records.ts'

// A process without a free file descriptor: its limit is lowered, then used up.

const lowered = spawnSync('prlimit', ['--pid', String(process.pid), '--nofile=512:'])
const skip = lowered.status === 0 ? false : 'prlimit is not installed'

/** Opens every descriptor that is left; gives a function that closes them again. */
function useUp(): () => void {
  const taken: number[] = []
  for (;;) {
    try {
      taken.push(openSync('/dev/null', 'r'))
    } catch (error) {
      assert.ok(error instanceof Error && 'code' in error && error.code === 'EMFILE')
      return () => {
        for (const file of taken) closeSync(file)
      }
    }
  }
}

async function save(follower: Follower): Promise<string | null> {
  follower.order({
    seq: follower.stateSeq,
    balances: balanceDigest(follower.exchange.clearing),
  })
  const saved = await follower.takeDue()
  assert.ok(saved !== null)
  return saved.failure
}

test('without a descriptor a snapshot fails in words, older ones stay, and a later one succeeds', {
  skip,
}, async () => {
  const dataDir = newFolder()
  const writer = writeBatches(dataDir, 4)
  const follower = new Follower(keyed(dataDir))
  for (const seq of [3, 6]) {
    while (follower.stateSeq < seq) follower.step(seq)
    assert.equal(await save(follower), null)
  }
  while (follower.stateSeq < 9) follower.step(9)
  const giveBack = useUp()
  const failure = await save(follower)
  // The files of the tables and of the journal are open already, so the follower goes on.
  while (follower.stateSeq < 12) follower.step(12)
  assert.equal(follower.readSeq, 12)
  giveBack()
  assert.match(failure ?? '', /no file descriptors left; raise its limit/)
  assert.deepEqual(snapshotSeqs(dataDir), [6, 3])
  assert.equal(await save(follower), null)
  assert.deepEqual(snapshotSeqs(dataDir), [12, 6])
  follower.close()
  writer.close()
  assert.equal(verifyFolder(dataDir).readTables.seq, 12)
})

test('without a descriptor the journal goes on, checkpoints included', { skip }, async () => {
  const dataDir = newFolder()
  const { journal, durable } = await startJournal(dataDir)
  journal.append(1, recordAt(1))
  journal.send()
  await durable(1)
  const giveBack = useUp()
  // More pages than one checkpoint takes.
  const total = 20_000
  let seq = 1
  while (seq < total) {
    const until = Math.min(seq + 500, total)
    while (seq < until) journal.append(++seq, recordAt(seq))
    journal.send()
    await durable(seq)
  }
  giveBack()
  await journal.stop()
  assert.equal(verifyFolder(dataDir).seq, total)
})
