import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachResting } from '../../../../engine/core/book/market.ts'
import { CANCEL_REASONS, RESULT } from '../../../../engine/domain/event.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { SIDE } from '../../../../engine/domain/order.ts'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import { stateMark } from '../../../../persistence/follower/boards/biggest-positions.ts'
import { accountOf } from '../../../../server/edge/intake/order/client-order.ts'
import type { OrderAnswer } from '../../../../server/exchange/order-entry/order-answer.ts'
import type { Receipt } from '../../../../server/exchange/publisher/durable-publisher.ts'
import { shownMark } from '../../../../server/exchange/read-model/position-views.ts'
import type { RunningExchange } from '../../../../server/start/open.ts'
import type { TestClock } from '../../../support/bare-exchange.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { recoverAll } from '../../../support/journal-records.ts'
import { addProfile, buy, fill, openForTest, TOKEN } from '../../../support/open-pipeline.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { marketSpec } from '../../../support/specs.ts'
import * as kit from '../../edge/intake/order-kit.ts'

// What main publishes, and when: nothing before its command is durable (invariant 1).

const SHARE = 1_000_000
const START_MS = 1_800_000_000_000
const ORDER = { priceTicks: 500, sizeRaw: SHARE }

async function opened(clock: TestClock = { nowMs: START_MS }): Promise<RunningExchange> {
  const exchange = await openForTest(newFolder(), clock)
  await fill(exchange, 1_000_000 * SHARE)
  await exchange.pipeline.whenIdle()
  return exchange
}

/** Runs everything that waits for no thread and no disk. */
async function microtasks(): Promise<void> {
  for (let each = 0; each < 50; each++) await null
}

function bids({ pipeline }: RunningExchange) {
  return pipeline.published.byId(1)?.depth.bids()
}

test('no reply and no depth shows an order before it is durable', async () => {
  const exchange = await opened()
  const { pipeline, journal } = exchange
  const { publisher, clearing } = pipeline
  const reported: number[] = []
  const publish = (seq: number) => () => {
    assert.ok(journal.durableSeq >= seq, `seq ${seq} is sent when ${journal.durableSeq} is durable`)
    reported.push(seq)
  }
  assert.equal(buy(exchange, 1, ORDER), null)
  const seq = clearing.lastSeq
  assert.equal(publisher.durableSeq, seq - 1, 'the order is the first command that waits')
  publisher.whenReceipt(seq, START_MS, publish(seq))
  publisher.whenDurable(seq, publish(seq))
  // The market has answered, and main reads the answer.
  const [shard] = exchange.shards.all
  shard.send()
  pipeline.drain()
  assert.ok(shard.isIdle)
  publisher.advance(publisher.durableSeq)
  assert.deepEqual(reported, [])
  assert.deepEqual(bids(exchange), [])
  assert.equal(clearing.orders.live.all, 1, 'main has settled the order')
  await pipeline.whenIdle()
  assert.deepEqual(reported, [seq, seq])
  assert.deepEqual(bids(exchange), [{ ticks: 500, sizeRaw: SHARE }])
  publisher.whenDurable(seq, publish(seq))
  assert.equal(reported.length, 3, 'a command that is durable is published at once')
})

test('changes, closes and refusals wait for the seq on which they rest', async () => {
  const exchange = await opened()
  const { pipeline, journal } = exchange
  const acts: [string, () => Promise<unknown>][] = [
    ['change', () => pipeline.change(() => ({ kind: 'setAdminToken', tokenDigest: 'ab' }))],
    [
      'refused',
      () => {
        pipeline.sequencer.change(() => ({ kind: 'setAdminToken', tokenDigest: 'cd' }))
        return pipeline.refused(REJECT.SLUG_TAKEN)
      },
    ],
    ['close', () => pipeline.change(() => ({ kind: 'lockMarket', marketId: 1 }))],
  ]
  for (const [name, act] of acts) {
    let reported = false
    const answer = act().then(() => {
      reported = true
    })
    const seq = pipeline.clearing.lastSeq
    await microtasks()
    assert.equal(reported, false, name)
    await answer
    assert.ok(journal.durableSeq >= seq, name)
  }
})

test('a refusal of an order is sent when the state it rests on is durable', async () => {
  const clock = { nowMs: kit.NOW_MS }
  const exchange = await openForTest(newFolder(), clock)
  await fill(exchange, SHARE)
  const { pipeline, journal, intake } = exchange
  const account = accountOf(kit.KEY)
  intake.addMarket({ ...marketSpec(1), marketId: 1, book: 1 })
  intake.addToken({ ...kit.tokenEntry(TOKEN), profileId: 1, account })
  const order = kit.signed({ ...kit.unsignedOrder(), tokenId: marketSpec(1).yesTokenId })
  const body = { ...kit.orderBody(order), ownerId: 1, marketSlug: 'market-1' }
  const signed = kit.request(JSON.stringify(body), { apiKey: TOKEN })
  const { requestId: _id, nowMs: _nowMs, ...proof } = signed
  const call = { ...proof, timesRow: 0 }
  let seq = 0
  const place = () =>
    new Promise<[OrderAnswer, number]>((resolve) => {
      // The refusal rests on a state that is not durable yet.
      pipeline.sequencer.change(() => ({ kind: 'setAdminToken', tokenDigest: 'ab' }))
      seq = pipeline.clearing.lastSeq
      pipeline.orders.place(call, (answer) => resolve([answer, journal.durableSeq]))
    })
  const [poor, poorAt] = await place()
  assert.ok('reject' in poor)
  assert.equal(poor.reject.name, 'INSUFFICIENT_COLLATERAL')
  assert.equal(poor.reject.shortfall?.requiredRaw, 6_500_000)
  assert.ok(poorAt >= seq, `sent at ${poorAt}, decided at ${seq}`)
  pipeline.sequencer.change(() => ({ kind: 'revokeToken', tokenId: TOKEN }))
  const [revoked, revokedAt] = await place()
  assert.deepEqual(revoked, { reject: REJECT.TOKEN_REVOKED })
  assert.ok(revokedAt >= seq, `sent at ${revokedAt}, decided at ${seq}`)
})

test('the published depth equals the books, through dust, cancels and self-trades', async () => {
  const random = new Random(freshSeed())
  const exchange = await openForTest(newFolder(), { nowMs: START_MS })
  const { pipeline } = exchange
  const { clearing, published } = pipeline
  const minSizeRaw = 20 * SHARE
  await pipeline.change(() => ({
    kind: 'createMarket',
    marketId: 1,
    book: 1,
    market: marketSpec(1, { minSizeRaw }),
  }))
  for (const profileId of [1, 2, 3]) {
    await addProfile(exchange, profileId, 1e12)
  }
  for (let hash = 1; hash <= 1500; hash++) {
    if (random.chance(0.2)) cancelSome(exchange, random)
    else buy(exchange, hash, randomOrder(exchange, random))
    if (hash % 100 !== 0) continue
    await pipeline.whenIdle()
    const market = published.byId(1)
    assert.ok(market !== undefined)
    const { depth, volume, lastYesTicks } = market
    const book = bookOf(exchange, minSizeRaw)
    assert.deepEqual([depth.bids(), depth.asks()], [book.bids, book.asks])
    assert.deepEqual([depth.bestBid(true), depth.bestAsk(true)], book.largeBest)
    const { volume: traded, lastYesTicks: lastTicks } = clearing.catalogue.existing(1)
    assert.deepEqual([volume, lastYesTicks], [traded, lastTicks])
    // The follower marks its own books by the same function.
    const stateMarked = stateMark(clearing.catalogue.existing(1), clearing)
    assert.deepEqual(shownMark(market), stateMarked)
    assert.equal(market.bookBytes, null, 'a book that changed is encoded again')
    market.bookBytes = Buffer.from('old')
  }
  assert.ok(clearing.catalogue.existing(1).volume.raw > 0)
})

function randomOrder({ pipeline }: RunningExchange, random: Random) {
  const [accountId, outcome] = [random.between(1, 3), random.below(2)]
  const heldRaw = pipeline.clearing.ledger.freeSharesRaw(accountId, 1, outcome)
  const side = heldRaw >= 1000 && random.chance(0.5) ? SIDE.SELL : SIDE.BUY
  const common = { accountId, outcome, side, stp: random.below(3) }
  if (random.chance(0.3)) {
    const wantRaw = random.between(1, 60 * SHARE)
    const amount =
      side === SIDE.BUY ? { spendRaw: wantRaw } : { sizeRaw: Math.min(wantRaw, heldRaw) }
    return { ...common, ...amount, marketForm: true, orderType: 2 }
  }
  const wantRaw = 1000 * random.between(1, 60_000)
  const sizeRaw = side === SIDE.SELL ? Math.min(wantRaw, heldRaw - (heldRaw % 1000)) : wantRaw
  return { ...common, sizeRaw, priceTicks: random.between(330, 340), orderType: 0 }
}

function cancelSome({ pipeline }: RunningExchange, random: Random): void {
  const open = pipeline.cancels.live(random.between(1, 3), 1)
  if (open.length > 0) pipeline.sequencer.cancel(1, [random.pick(open)])
}

function bookOf({ pipeline }: RunningExchange, minSizeRaw: number) {
  const { orders } = pipeline.clearing
  const bids: { ticks: number; sizeRaw: number }[] = []
  const asks: { ticks: number; sizeRaw: number }[] = []
  const largeBest = [0, 1000]
  eachResting(1, (ticks, slot, _owner, leftRaw) => {
    const isBid = orders.sideOf(slot) === orders.outcomeOf(slot)
    const levels = isBid ? bids : asks
    const last = levels.at(-1)
    if (last?.ticks === ticks) last.sizeRaw += leftRaw
    else levels.push({ ticks, sizeRaw: leftRaw })
    if (leftRaw < minSizeRaw) return
    if (isBid) largeBest[0] = ticks
    else largeBest[1] = Math.min(largeBest[1], ticks)
  })
  return { bids: bids.reverse(), asks, largeBest }
}

test('a receipt has the fee of its own command', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: START_MS })
  const { pipeline } = exchange
  await fill(exchange, 1_000_000 * SHARE)
  const market = marketSpec(2, { feeEnabled: true })
  await pipeline.change(() => ({ kind: 'createMarket', marketId: 2, book: 2, market }))
  for (const profileId of [2, 3]) {
    await addProfile(exchange, profileId, 100 * SHARE)
  }
  const receiptOf = (hash: number, accountId: number, outcome: number) => {
    const order = { ...ORDER, accountId, outcome, marketId: 2 }
    assert.equal(buy(exchange, hash, order, { signedFeeBps: 300 }), null)
    return new Promise<Receipt>((resolve) => {
      pipeline.publisher.whenReceipt(pipeline.clearing.lastSeq, START_MS, resolve)
    })
  }
  const [rested, filled] = await Promise.all([receiptOf(1, 2, 0), receiptOf(2, 3, 1)])
  assert.deepEqual([rested.result, rested.feeRaw], [RESULT.RESTED, 0])
  // 3% of the smaller of collateral and shares − collateral, half a unit here, in shares at 0.5.
  const feeRaw = 30_000
  assert.deepEqual([filled.result, filled.filledSharesRaw, filled.feeRaw], [2, SHARE, feeRaw])
})

test('requests leave the journal capacity for deadlines', async () => {
  const exchange = await opened()
  for (let hash = 1; buy(exchange, hash, ORDER) === null; ) hash++
  assert.ok(exchange.journal.freeBytes() >= LIMITS.ringReserveBytes / 2)
})

test('a deadline that is due comes before the next request, with its own reason', async () => {
  const clock = { nowMs: START_MS }
  const dataDir = newFolder()
  const exchange = await openForTest(dataDir, clock)
  await fill(exchange, 100 * SHARE)
  const { pipeline } = exchange
  const { orders } = pipeline.clearing
  const expirationSec = START_MS / 1000
  const crossing = { ...ORDER, outcome: 1, stp: 1 }
  assert.equal(buy(exchange, 1, { ...ORDER, expirationSec }), null)
  await pipeline.whenIdle()
  clock.nowMs += 1000
  assert.equal(buy(exchange, 2, crossing), null)
  await pipeline.whenIdle()
  assert.equal(orders.live.all, 1, 'the expired order is gone, the newer one rests')
  await pipeline.cancels.cancel(1, pipeline.cancels.live(1, 1))
  // The next order reuses the slot and has another expiration.
  const later = { ...ORDER, expirationSec: expirationSec + 60 }
  assert.equal(buy(exchange, 3, later), null)
  await pipeline.cancels.cancel(1, pipeline.cancels.live(1, 1))
  assert.equal(buy(exchange, 4, later), null)
  await pipeline.change(() => ({ kind: 'lockMarket', marketId: 1 }))
  await exchange.stop()
  const reasons = recoverAll(dataDir).commands.flatMap((command) =>
    command.kind === 'cancelOrders' ? CANCEL_REASONS[command.reason] : [],
  )
  assert.deepEqual(reasons, ['EXPIRED', 'USER', 'USER', 'MARKET_LOCKED'])
})

test('a book that a thread gets at a restart trades on from its old state', async () => {
  const dataDir = newFolder()
  const clock = { nowMs: START_MS }
  const first = await openForTest(dataDir, clock, 1)
  await fill(first, 100 * SHARE)
  await addProfile(first, 2, 100 * SHARE)
  for (const [index, priceTicks] of [480, 490, 490].entries()) {
    assert.equal(buy(first, index + 1, { ...ORDER, priceTicks }), null)
  }
  assert.equal(buy(first, 9, { ...ORDER, accountId: 2, outcome: 1, priceTicks: 450 }), null)
  await first.stop()
  const second = await openForTest(dataDir, clock, 1)
  const { pipeline } = second
  const sale = { accountId: 2, outcome: 1, priceTicks: 510, sizeRaw: 3 * SHARE }
  assert.equal(buy(second, 10, sale), null)
  await pipeline.whenIdle()
  assert.deepEqual(bids(second), [{ ticks: 480, sizeRaw: SHARE }])
  assert.deepEqual(pipeline.published.byId(1)?.depth.asks(), [
    { ticks: 490, sizeRaw: SHARE },
    { ticks: 550, sizeRaw: SHARE },
  ])
})
