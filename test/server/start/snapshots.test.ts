import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import type { SavedSnapshot } from '../../../persistence/follower/follower-handle.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { QuiescentPoint } from '../../../server/exchange/sequencer/quiescent-point.ts'
import type { RunningExchange } from '../../../server/start/open.ts'
import { openToKill } from '../../support/bare-exchange.ts'
import { loseReadTables, newFolder } from '../../support/data-folder.ts'
import { buy, fill, openForTest } from '../../support/open-pipeline.ts'

const START_MS = 1_800_000_000_000
const ORDER = { priceTicks: 500, sizeRaw: 1_000_000 }
const COST_RAW = 500_000
const CLOCK = { nowMs: START_MS }
const AHEAD = 200

/** What the outside can see of the first market. */
function shown({ pipeline }: RunningExchange): unknown {
  const published = pipeline.published.byId(1)
  assert.ok(published !== undefined)
  const { status, updatedMs, payoutNumerators, volume, lastYesTicks, depth } = published
  const { slug, title, deadlineMs, createdMs } = published.market
  const fixed = { slug, title, deadlineMs, createdMs }
  const events = { fixed, status, updatedMs, payoutNumerators, volume, lastYesTicks }
  return { events, bids: depth.bids(), asks: depth.asks(), large: depth.bestBid(true) }
}

/** Places orders at ten prices and cancels every third, so that slots are used again. */
async function trade(exchange: RunningExchange, from: number, count: number): Promise<void> {
  const { pipeline } = exchange
  for (let hash = from; hash < from + count; hash++) {
    assert.equal(buy(exchange, hash, { ...ORDER, priceTicks: 400 + (hash % 10) }), null)
    if (hash % 3 !== 0) continue
    const [newest] = pipeline.cancels.live(1, 1)
    const receipt = await pipeline.cancels.cancel(1, [newest])
    assert.ok(!(receipt instanceof Reject) && receipt.canceled.length === 1)
  }
  await pipeline.whenIdle()
}

for (const threads of [0, 2] as const) {
  test(`a stop saves the snapshot that the next start uses (${threads} threads)`, async () => {
    const dataDir = newFolder()
    const first = await openForTest(dataDir, CLOCK, threads)
    await fill(first, 1e12)
    await trade(first, 1, 50)
    const before = shown(first)
    const last = await first.stop()
    const second = await openForTest(dataDir, CLOCK, threads)
    assert.equal(second.recovered.snapshotSeq, last.seq)
    assert.equal(second.recovered.stateHash, last.stateHash)
    assert.deepEqual(shown(second), before)
    await trade(second, 1000, 50)
    const end = await second.stop()
    assert.equal(verifyFolder(dataDir).stateHash, end.stateHash)
    assert.deepEqual(verifyFolder(dataDir).snapshots, [
      { seq: end.seq, unusable: null },
      { seq: last.seq, unusable: null },
    ])
    const third = await openForTest(dataDir, CLOCK, threads)
    assert.deepEqual(await third.stop(), end, 'a start and a stop without commands save nothing')
  })
}

test('snapshots are taken one at a time while orders come, at seqs that end a batch', async () => {
  const dataDir = newFolder()
  const saved: SavedSnapshot[] = []
  const exchange = await openForTest(dataDir, CLOCK, 2, {
    snapshotEveryCommands: 100,
    onSnapshot: (each) => saved.push(each),
  })
  await fill(exchange, 1e12)
  let hash = 1
  let nowMs = 0
  while (saved.length < 5) {
    // The intake waits while main looks at a still state, so these orders wait as well.
    await exchange.pipeline.quiescentPoint.over()
    // Main is faster than a snapshot: no more orders come than one snapshot and the next need.
    const { seq, bytes } = exchange.snapshots.last
    const due = seq + Math.max(100, bytes / LIMITS.commandBytesTypical)
    const isAhead = exchange.pipeline.clearing.lastSeq > due + AHEAD
    for (let each = 0; each < 20 && !isAhead; each++) {
      assert.equal(buy(exchange, hash++, ORDER), null)
    }
    // On a busy machine a quiescent point may not come in time, so the next attempt is due at once.
    nowMs += LIMITS.snapshotRetryMsMax
    exchange.snapshots.tick(nowMs)
    if (!isAhead && hash % 400 === 1) await exchange.pipeline.whenIdle()
    else await new Promise(setImmediate)
  }
  assert.equal(exchange.snapshots.last.seq, saved[4].seq)
  for (const { failure, bytes } of saved) assert.ok(failure === null && bytes > 0)
  for (const [index, { seq }] of saved.entries()) {
    assert.ok(seq >= (saved[index - 1]?.seq ?? 0) + 100, 'the next is due 100 commands later')
  }
  const end = await exchange.stop()
  assert.equal(verifyFolder(dataDir).stateHash, end.stateHash)
})

test('a crash after a snapshot loses nothing, with or without read tables', async () => {
  const dataDir = newFolder()
  const first = await openForTest(dataDir, CLOCK)
  await fill(first, 1e12)
  await trade(first, 1, 30)
  const { seq } = await first.stop()
  const second = await openToKill(dataDir, CLOCK)
  await trade(second, 100, 30)
  const before = shown(second)
  // Stops like a kill: without a snapshot or an orderly close.
  await second.journal.stop()
  const end = second.pipeline.clearing.lastSeq
  await Promise.all([second.follower.stop(), second.query.stop(), second.shards.stop()])
  rmSync(join(dataDir, 'lock.db'))
  const third = await openForTest(dataDir, CLOCK)
  assert.deepEqual([third.recovered.snapshotSeq, third.recovered.seq], [seq, end])
  assert.deepEqual(shown(third), before)
  const last = await third.stop()
  loseReadTables(dataDir)
  const fourth = await openForTest(dataDir, CLOCK)
  assert.equal(fourth.recovered.stateHash, last.stateHash)
  assert.equal(fourth.follower.applied, end, 'the tables are complete before trading opens')
})

test('a balance that differs between main and the follower stops the process', async () => {
  let report = (_sentence: string) => {}
  const fault = new Promise<string>((resolve) => {
    report = resolve
  })
  const exchange = await openToKill(newFolder(), CLOCK, 0, { onFault: (each) => report(each) })
  await fill(exchange, 1e12)
  exchange.pipeline.clearing.ledger.collateralFreeRaw[1] += 1
  exchange.snapshots.take()
  const found = await fault
  const differing = /The follower thread failed: the balances of main and of the follower differ/
  assert.match(found, differing)
  assert.match(found, /differ at seq \d+$/)
  await Promise.all([exchange.journal.stop(), exchange.query.stop(), exchange.shards.stop()])
})

test('while main waits for a quiescent point a cancel waits too, and then goes on', async () => {
  const exchange = await openForTest(newFolder(), CLOCK, 2)
  await fill(exchange, 1e12)
  const { pipeline } = exchange
  assert.equal(buy(exchange, 1, ORDER), null)
  const reported: string[] = []
  pipeline.quiescentPoint.begin((isQuiescent) => {
    reported.push('looked')
    // On a busy machine the moment may not come in time; then there is nothing to check.
    if (isQuiescent) assert.ok(exchange.shards.areIdle)
  })
  assert.ok(pipeline.quiescentPoint.isOn, 'the moment waits for an order under way')
  const seq = pipeline.clearing.lastSeq
  const canceled = pipeline.cancels.cancel(1, pipeline.cancels.live(1, 1)).then((receipt) => {
    reported.push('canceled')
    return receipt
  })
  assert.equal(pipeline.clearing.lastSeq, seq, 'nothing is stamped meanwhile')
  const receipt = await canceled
  assert.ok(!(receipt instanceof Reject) && receipt.canceled.length === 1)
  assert.deepEqual(reported, ['looked', 'canceled'])
  assert.equal(pipeline.clearing.ledger.collateralReservedRaw[1], 0)
  await exchange.stop()
})

test('main gives up on a quiescent point that does not come, and trading goes on', async () => {
  let held = 0
  const hold = new QuiescentPoint({
    isQuiescent: () => false,
    pause: () => held++,
    resume: () => held--,
  })
  const isQuiescent = await new Promise<boolean>((resolve) => hold.begin(resolve))
  await hold.over()
  assert.deepEqual([isQuiescent, held, hold.isOn], [false, 0, false])
})

test('money is exact over a snapshot and a restart', async () => {
  const dataDir = newFolder()
  const first = await openForTest(dataDir, CLOCK)
  await fill(first, 10 * COST_RAW)
  assert.equal(buy(first, 1, ORDER), null)
  await first.stop()
  const second = await openForTest(dataDir, CLOCK)
  const { ledger } = second.pipeline.clearing
  assert.deepEqual(
    [ledger.collateralFreeRaw[1], ledger.collateralReservedRaw[1]],
    [9 * COST_RAW, COST_RAW],
  )
})

test('a failed snapshot is tried again after growing pauses, and is shown as failed', async () => {
  const dataDir = newFolder()
  const saved: SavedSnapshot[] = []
  const warned: string[] = []
  const exchange = await openForTest(dataDir, CLOCK, 0, {
    snapshotEveryCommands: 10,
    onSnapshot: (each) => saved.push(each),
    onWarning: (sentence) => warned.push(sentence),
  })
  await fill(exchange, 1e12)
  const { snapshots } = exchange
  await trade(exchange, 1, 20)
  writeFileSync(join(dataDir, 'snapshots'), 'a file stands where the folder should be')
  const pause = LIMITS.snapshotRetryMsMin
  // The time at which each attempt is due, if every earlier one failed.
  const dueMs = [0, pause, 3 * pause, 7 * pause]
  for (const [attempt, nowMs] of dueMs.entries()) {
    snapshots.tick(nowMs - 1)
    assert.equal(saved.length, attempt, `no attempt before ${nowMs}`)
    snapshots.tick(nowMs)
    // Joins the attempt under way. If none were under way, a new one would be one too many.
    await snapshots.take()
    assert.equal(saved.length, attempt + 1)
    assert.equal(snapshots.failures, attempt + 1)
    assert.equal(snapshots.failingMs, nowMs - dueMs[0])
    // Trading goes on.
    await trade(exchange, 100 + 50 * attempt, 5)
  }
  assert.match(
    warned[0],
    /^No snapshot was saved; .*: .*snapshots: the path is a file, not a folder/,
  )
  rmSync(join(dataDir, 'snapshots'))
  snapshots.tick(15 * pause)
  await snapshots.take()
  assert.deepEqual([saved.at(-1)?.failure, snapshots.failures, snapshots.failingMs], [null, 4, 0])
  const end = await exchange.stop()
  assert.deepEqual(verifyFolder(dataDir).snapshots, [{ seq: end.seq, unusable: null }])
  assert.equal(verifyFolder(dataDir).stateHash, end.stateHash)
})

test('a stop tries its snapshot twice, and ends well without it', async () => {
  const dataDir = newFolder()
  const saved: SavedSnapshot[] = []
  const exchange = await openForTest(dataDir, CLOCK, 0, { onSnapshot: (each) => saved.push(each) })
  await fill(exchange, 1e12)
  writeFileSync(join(dataDir, 'snapshots'), '')
  const end = await exchange.stop()
  assert.equal(saved.filter(({ failure }) => failure !== null).length, 2)
  rmSync(join(dataDir, 'snapshots'))
  assert.equal(verifyFolder(dataDir).stateHash, end.stateHash)
})
