import assert from 'node:assert/strict'
import { test } from 'node:test'
import { txHashOf } from '../../../../engine/core/money/tx-hash.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { ADMIN, BLOCK_MS, Desk, Reported, shown } from '../../../support/chain-desk.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { CHAIN_ID } from '../../../support/live-orders.ts'
import { assertRefused } from '../../../support/replies.ts'

// Trades over HTTP on their way through the embedded chain. A block comes when the test moves the
// clock.

const desk = await Desk.open(['--block-ms', `${BLOCK_MS}`])
const first = await desk.trade()
desk.live.shiftClock(BLOCK_MS)
await desk.reported.of(first.id, 'MINED')

/** The trades that are submitted from now on, until `end` is called. */
function submissions(): { end: () => number[] } {
  const { mining } = desk.live.exchange.pipeline
  assert(mining !== null)
  const { port } = mining
  const { submit } = port
  const seqs: number[] = []
  port.submit = (tradeSeqs) => {
    seqs.push(...tradeSeqs)
    return submit.call(port, tradeSeqs)
  }
  return {
    end: () => {
      port.submit = submit
      return seqs
    },
  }
}

test('a trade is MATCHED until its block, then MINED with a hash that never changes', async () => {
  const { live, reported } = desk
  const { id, execution } = await desk.trade()
  assert.equal(at(execution, 'settlementStatus'), 'MATCHED')
  assert.equal(at(execution, 'txHash'), null)
  assert.deepEqual(await shown(live, id), {
    settlementStatus: 'MATCHED',
    txHash: null,
    height: null,
  })
  assert.equal(await live.gauge('outcomex_trades_waiting'), 1)
  live.shiftClock(BLOCK_MS)
  const event = await reported.of(id, 'MINED')
  const block = reported.blocks.at(-1)
  assert(block !== undefined && block.throughSeq >= Number(id))
  assert.equal(event.txHash, txHashOf(CHAIN_ID, block.height, Number(id)))
  const mined = { settlementStatus: 'MINED', txHash: event.txHash, height: block.height }
  assert.deepEqual(await shown(live, id), mined)
  assert.equal(await live.gauge('outcomex_trades_waiting'), 0)
  assert.equal(await live.gauge('outcomex_block_height'), block.height)
  const next = await desk.trade()
  live.shiftClock(BLOCK_MS)
  await reported.of(next.id, 'MINED')
  assert.deepEqual(await shown(live, id), mined)
})

test('a trade of a stamped block waits until the block is durable', async () => {
  const { live, reported } = desk
  const { id } = await desk.trade()
  const { pipeline } = live.exchange
  const { lastSeq } = pipeline.clearing
  live.shiftClock(BLOCK_MS)
  pipeline.tick()
  assert.ok(pipeline.clearing.lastSeq > lastSeq, 'the block is stamped')
  assert.equal(pipeline.mining?.waitingCount, 1)
  await reported.of(id, 'MINED')
  assert.equal(pipeline.mining?.waitingCount, 0)
})

test('no trade stops waiting before its block is durable', async () => {
  const { live } = desk
  const ids = [await desk.trade(), await desk.trade()].map(({ id }) => id)
  await desk.fault({ tradeEventId: ids[0] }, 'FAILED')
  live.shiftClock(BLOCK_MS)
  let waiting: unknown = ids.length
  while (waiting !== 0) {
    const { body } = await live.send('GET', '/admin/settlement?limit=2', ADMIN)
    waiting = at(body, 'waiting')
    const statuses = [0, 1].map((index) => at(body, 'trades', index, 'settlementStatus'))
    if (waiting === 0) assert.deepEqual(statuses, ['MINED', 'FAILED'])
  }
})

test('a trade that a block retries is mined by a later block', async () => {
  const { live, reported } = desk
  const { id } = await desk.trade()
  const before = desk.free()
  assert.equal((await desk.fault({ tradeEventId: id }, 'RETRYING')).status, 200)
  live.shiftClock(BLOCK_MS)
  assert.equal((await reported.of(id, 'RETRYING')).txHash, null)
  assert.equal((await shown(live, id)).settlementStatus, 'RETRYING')
  const covering = reported.blocks.at(-1)?.height ?? 0
  live.shiftClock(BLOCK_MS)
  const { txHash } = await reported.of(id, 'MINED')
  const height = reported.blocks.at(-1)?.height ?? 0
  assert(height > covering)
  assert.deepEqual(await shown(live, id), { settlementStatus: 'MINED', txHash, height })
  assert.deepEqual(desk.free(), before, 'a retry moves no money')
  assert.equal(await live.gauge('outcomex_settlement_retries_total'), 1)
})

test('a failed trade is reversed, and the other trades of its block are mined', async () => {
  const { live, reported } = desk
  const submitted = submissions()
  const before = desk.free()
  const failed = await desk.trade()
  const between = desk.free()
  assert.notDeepEqual(between, before)
  const other = await desk.trade()
  const both = desk.free()
  assert.equal((await desk.fault({ tradeEventId: failed.id }, 'FAILED')).status, 200)
  live.shiftClock(BLOCK_MS)
  await reported.of(failed.id, 'FAILED')
  await reported.of(other.id, 'MINED')
  const seqs = [failed.id, other.id].map(Number)
  assert.deepEqual(submitted.end(), seqs, 'each trade is submitted once, though one is looked up')
  const cost = before.map((raw, index) => raw - between[index])
  assert.deepEqual(
    desk.free(),
    both.map((raw, index) => raw + cost[index]),
  )
  assert.deepEqual(await shown(live, failed.id), {
    settlementStatus: 'FAILED',
    txHash: null,
    height: null,
  })
  assert.equal(await live.gauge('outcomex_settlement_failures_total'), 2)
  assert.equal((await desk.fault({ tradeEventId: failed.id }, 'FAILED')).status, 409)
})

test('the next trade may be set to fault, and a retried trade may still fail', async () => {
  const { live, reported } = desk
  const before = desk.free()
  assert.equal((await desk.fault({ next: 1 }, 'RETRYING')).status, 200)
  const { id } = await desk.trade()
  live.shiftClock(BLOCK_MS)
  await reported.of(id, 'RETRYING')
  assert.equal((await desk.fault({ next: 1 }, 'FAILED')).status, 200)
  live.shiftClock(BLOCK_MS)
  await reported.of(id, 'FAILED')
  assert.deepEqual(desk.free(), before)
  assert.deepEqual(live.faults, [])
})

test('a fault needs a trade that waits and a valid request', async () => {
  for (const body of [{}, { next: 1, tradeEventId: '7' }, { next: 0 }, { tradeEventId: 'x' }]) {
    assert.equal((await desk.fault(body, 'FAILED')).status, 400, JSON.stringify(body))
  }
  assert.equal((await desk.fault({ next: 1 }, 'MINED')).status, 400)
  assert.equal((await desk.fault({ tradeEventId: '999999' }, 'FAILED')).status, 409)
  assert.equal((await desk.fault({ tradeEventId: first.id }, 'FAILED')).status, 409)
  assert.equal((await desk.fault({ next: LIMITS.settlementFaultsMax }, 'FAILED')).status, 200)
  const beyond = await desk.fault({ next: 1 }, 'FAILED')
  assertRefused(beyond, 400, 'FAULT_LIMIT')
  const { status } = await desk.live.send('GET', '/admin/settlement')
  assert.equal(status, 401)
})

test('a trade that waits or is retried at a stop is mined after the next start', async () => {
  const dataDir = newFolder()
  const flags = ['--block-ms', `${BLOCK_MS}`]
  const desk = await Desk.open(flags, dataDir)
  const before = desk.free()
  const aside = await desk.trade()
  await desk.fault({ tradeEventId: aside.id }, 'RETRYING')
  desk.live.shiftClock(BLOCK_MS)
  await desk.reported.of(aside.id, 'RETRYING')
  const one = desk.free()
  const { id } = await desk.trade()
  const failing = await desk.trade()
  await desk.live.stop()
  const { live } = await exchange({ dataDir, flags })
  const target = { tradeEventId: failing.id, outcome: 'FAILED' }
  assert.equal((await live.admin('/admin/settlement/faults', target)).status, 200)
  const reported = new Reported(live)
  live.shiftClock(BLOCK_MS * 2)
  for (const tradeEventId of [aside.id, id]) {
    const event = await reported.of(tradeEventId, 'MINED')
    assert.equal(event.txHash, txHashOf(CHAIN_ID, 2, Number(tradeEventId)))
    assert.equal((await shown(live, tradeEventId)).txHash, event.txHash)
  }
  await reported.of(failing.id, 'FAILED')
  const free = [desk.maker, desk.taker].map((trader) => live.balances(trader).freeRaw)
  // Two of the three trades stand.
  assert.deepEqual(
    free,
    one.map((raw, index) => 2 * raw - before[index]),
  )
  const { pipeline, follower } = live.exchange
  await pipeline.whenIdle()
  await follower.whenApplied(pipeline.durableSeq, 1000)
})

test('with a block at once the reply to an order has MINED and the hash', async () => {
  const desk = await Desk.open(['--block-ms', '0'])
  const { id, execution } = await desk.trade()
  assert.equal(at(execution, 'settlementStatus'), 'MINED')
  const { txHash } = await shown(desk.live, id)
  assert.equal(at(execution, 'txHash'), txHash)
  await desk.fault({ next: 1 }, 'FAILED')
  const failed = await desk.trade()
  assert.equal(at(failed.execution, 'settlementStatus'), 'FAILED')
  assert.equal(at(failed.execution, 'txHash'), null)
  await desk.fault({ next: 1 }, 'RETRYING')
  const tried = await desk.trade()
  assert.equal(at(tried.execution, 'settlementStatus'), 'RETRYING')
})
