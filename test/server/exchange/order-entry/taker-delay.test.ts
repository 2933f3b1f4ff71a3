import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STATE } from '../../../../engine/core/orders/order-table.ts'
import type { PlaceOrder } from '../../../../engine/domain/command.ts'
import { CANCEL_REASONS, RESULT } from '../../../../engine/domain/event.ts'
import { REJECT, Reject } from '../../../../engine/domain/reject-precedence.ts'
import { CancelEverywhere, Cancels } from '../../../../server/api/orders/cancels.ts'
import { HeartbeatChanges } from '../../../../server/api/orders/services.ts'
import type { Receipt } from '../../../../server/exchange/publisher/durable-publisher.ts'
import type { OrderName } from '../../../../server/exchange/sequencer/sequencer.ts'
import type { RunningExchange } from '../../../../server/start/open.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { recoverAll } from '../../../support/journal-records.ts'
import { addProfile, buy, fill, openForTest } from '../../../support/open-pipeline.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { rejectName } from '../../../support/reject-name.ts'
import { marketSpec } from '../../../support/specs.ts'

// Taker delay on main (rules §4.3): when a release is stamped, and what may happen before it.

const SHARE = 1_000_000
const NOON_MS = 1_800_014_400_000
const DELAY_MS = 500
const TAKER = 1
const MAKER = 2
const MARKET = 2
const TERMS = { marketId: MARKET, priceTicks: 500, sizeRaw: 10 * SHARE }
const ASK = { ...TERMS, accountId: MAKER, outcome: 1 }
const FAK = 1

interface Setting {
  readonly exchange: RunningExchange
  readonly clock: { nowMs: number }
  readonly dataDir: string
  readonly cancels: Cancels
}

const noReads = {
  order: () => Promise.resolve(undefined),
  orderByClientId: () => Promise.resolve(undefined),
}

async function opened(
  takerDelayMs = DELAY_MS,
  marketThreads: 0 | 1 = 0,
  noDelayedCancel = false,
): Promise<Setting> {
  const clock = { nowMs: NOON_MS }
  const dataDir = newFolder()
  const exchange = await openForTest(dataDir, clock, marketThreads)
  await fill(exchange, 100 * SHARE)
  const { pipeline } = exchange
  const market = marketSpec(MARKET, { takerDelayMs, noDelayedCancel })
  exchange.shards.of(MARKET)
  await pipeline.change(() => ({ kind: 'createMarket', marketId: MARKET, book: MARKET, market }))
  await addProfile(exchange, MAKER, 100 * SHARE)
  return { exchange, clock, dataDir, cancels: new Cancels(pipeline, noReads) }
}

let hashes = 0

/** Places an order and waits for its reply. */
function placed({ exchange }: Setting, order: Partial<PlaceOrder>): Promise<Receipt & OrderName> {
  const { pipeline } = exchange
  assert.equal(buy(exchange, ++hashes, order), null)
  const { lastSeq, orders } = pipeline.clearing
  const name = { slot: 0, generation: 0 }
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.seqOf(slot) !== lastSeq) continue
    Object.assign(name, { slot, generation: orders.generationOf(slot) })
  }
  return new Promise((resolve) => {
    pipeline.publisher.whenReceipt(lastSeq, NOON_MS, (receipt) => resolve({ ...receipt, ...name }))
  })
}

/** Places a maker's ask and an order that crosses it and is held. */
async function heldOrder(setting: Setting, terms: Partial<PlaceOrder> = {}) {
  const rested = await placed(setting, ASK)
  const held = await placed(setting, { ...TERMS, ...terms })
  assert.deepEqual([rested.result, held.result], [RESULT.RESTED, RESULT.HELD])
  return { rested, held }
}

/** The commands in the journal after the last order, each in a few words. */
async function storyOf({ exchange, dataDir }: Setting): Promise<string[]> {
  await exchange.stop()
  const { commands } = recoverAll(dataDir)
  const from = commands.findLastIndex(({ kind }) => kind === 'placeOrder')
  return commands.slice(from + 1).map((command) => {
    const atMs = command.nowMs - NOON_MS
    if (command.kind !== 'cancelOrders') return `${atMs} ${command.kind}`
    return `${atMs} ${CANCEL_REASONS[command.reason]}`
  })
}

const orderIdOf = ({ exchange }: Setting, { slot, generation }: OrderName) => ({
  orderId: exchange.pipeline.ids.text(slot, generation),
})

for (const threads of [0, 1] as const) {
  test(`the timeline of rules §4.3 is exact, with ${threads} market threads`, async () => {
    const setting = await opened(DELAY_MS, threads)
    const { pipeline } = setting.exchange
    const { ledger, orders } = pipeline.clearing
    const { rested, held } = await heldOrder(setting, { orderType: FAK })
    assert.equal(ledger.collateralReservedRaw[TAKER], 5 * SHARE)
    assert.deepEqual(pipeline.published.byId(MARKET)?.depth.bids(), [])
    setting.clock.nowMs = NOON_MS + 200
    assert.equal(rejectName(await setting.cancels.one(MAKER, orderIdOf(setting, rested))), 'NONE')
    setting.clock.nowMs = NOON_MS + 499
    pipeline.tick()
    await pipeline.whenIdle()
    assert.equal(orders.stateOf(held.slot), STATE.HELD, 'no release is a millisecond early')
    setting.clock.nowMs = NOON_MS + 500
    pipeline.tick()
    await pipeline.whenIdle()
    assert.equal(orders.stateOf(held.slot), STATE.FREE)
    assert.equal(ledger.collateralReservedRaw[TAKER], 0)
    assert.deepEqual(await storyOf(setting), ['200 USER', '500 releaseOrder'])
  })
}

test('a heartbeat that waits for a bound order survives a restart before its release', async () => {
  const setting = await opened(DELAY_MS, 0, true)
  const { exchange, clock, dataDir } = setting
  const { held } = await heldOrder(setting, { sizeRaw: 15 * SHARE })
  const cancelAtMs = NOON_MS + 100
  await exchange.pipeline.change(() => ({ kind: 'armHeartbeat', profileId: TAKER, cancelAtMs }))
  clock.nowMs = cancelAtMs
  exchange.pipeline.tick()
  await exchange.pipeline.whenIdle()
  assert.equal(exchange.pipeline.clearing.orders.stateOf(held.slot), STATE.HELD)
  const beats = new HeartbeatChanges(exchange.pipeline)
  assert.equal(await beats.beat(TAKER, clock.nowMs + 9000), REJECT.HEARTBEAT_CANCELING)
  await exchange.stop()
  const again = await openForTest(dataDir, clock, 0)
  clock.nowMs = NOON_MS + DELAY_MS
  again.pipeline.tick()
  await again.pipeline.whenIdle()
  const { ledger, orders } = again.pipeline.clearing
  assert.equal(orders.live.of(TAKER), 0)
  assert.equal(ledger.freeSharesRaw(TAKER, MARKET, 0), 10 * SHARE, 'it took what was there')
  const story = await storyOf({ ...setting, exchange: again })
  assert.deepEqual(story.slice(-2), ['500 releaseOrder', '500 HEARTBEAT'])
})

test('a start restores held orders and their times, from snapshot and journal', async () => {
  const setting = await opened()
  const { held } = await heldOrder(setting)
  setting.clock.nowMs = NOON_MS + 100
  const later = await placed(setting, { ...TERMS, outcome: 0, sizeRaw: 2 * SHARE })
  assert.equal(later.result, RESULT.HELD)
  const last = await setting.exchange.stop()
  for (const threads of [1, 0] as const) {
    const again = await openForTest(setting.dataDir, setting.clock, threads)
    assert.equal(again.recovered.stateHash, last.stateHash)
    const { orders } = again.pipeline.clearing
    assert.equal(orders.stateOf(held.slot), STATE.HELD)
    if (threads === 1) {
      await again.stop()
      continue
    }
    setting.clock.nowMs = NOON_MS + 599
    again.pipeline.tick()
    await again.pipeline.whenIdle()
    assert.equal(orders.stateOf(held.slot), STATE.FREE, 'the first order has taken the whole ask')
    assert.equal(orders.stateOf(later.slot), STATE.HELD)
    setting.clock.nowMs = NOON_MS + 600
    again.pipeline.tick()
    await again.pipeline.whenIdle()
    assert.equal(orders.stateOf(later.slot), STATE.OPEN)
    const depth = again.pipeline.published.byId(MARKET)?.depth
    assert.deepEqual(depth?.bids(), [{ ticks: 500, sizeRaw: 2 * SHARE }])
    assert.deepEqual(depth?.asks(), [])
    await again.stop()
  }
})

test('a cancel while the release is under way is refused, and nothing is journaled', async () => {
  const setting = await opened()
  const { cancels, clock, exchange } = setting
  const { held } = await heldOrder(setting, { sizeRaw: 15 * SHARE })
  const name = orderIdOf(setting, held)
  clock.nowMs = NOON_MS + DELAY_MS
  exchange.pipeline.tick()
  // The market has answered, but main reads its answer in the next event-loop tick at the
  // earliest.
  const answers = Promise.all([
    cancels.one(TAKER, name),
    cancels.one(MAKER, name),
    cancels.batch(TAKER, [name]),
    new CancelEverywhere(exchange.pipeline, cancels).run(TAKER, [MARKET]),
  ])
  const [one, stranger, batch, all] = await answers
  assert.equal(one, REJECT.ORDER_RELEASE_IN_PROGRESS)
  assert.equal(stranger, REJECT.ORDER_NOT_FOUND)
  assert.ok(!(batch instanceof Reject) && !(all instanceof Reject))
  assert.deepEqual([batch.canceled, all.orderIds], [[], []])
  const failure = { reason: 'ORDER_RELEASE_IN_PROGRESS', retryable: true }
  for (const outcome of [batch, all]) {
    const [{ orderId, reason, retryable }] = outcome.failed
    assert.deepEqual({ reason, retryable }, failure)
    assert.equal(orderId, name.orderId)
  }
  await exchange.pipeline.whenIdle()
  const last = rejectName(await cancels.one(TAKER, name))
  assert.equal(last, 'NONE', 'the rest in the book can be canceled')
  assert.deepEqual(await storyOf(setting), ['500 releaseOrder', '500 USER'])
})

test('a cancel that comes when the release is due follows it, and is refused', async () => {
  const setting = await opened()
  const { cancels, clock } = setting
  const { held } = await heldOrder(setting, { sizeRaw: 15 * SHARE })
  clock.nowMs = NOON_MS + DELAY_MS
  const name = orderIdOf(setting, held)
  assert.equal(await cancels.one(TAKER, name), REJECT.ORDER_RELEASE_IN_PROGRESS)
  assert.deepEqual(await storyOf(setting), ['500 releaseOrder'])
})

test('a held order can be canceled, and is then never released', async () => {
  const setting = await opened()
  const { cancels, clock, exchange } = setting
  const { held } = await heldOrder(setting)
  clock.nowMs = NOON_MS + 100
  assert.equal(rejectName(await cancels.one(TAKER, orderIdOf(setting, held))), 'NONE')
  const { ledger } = exchange.pipeline.clearing
  assert.equal(ledger.collateralReservedRaw[TAKER], 0)
  const next = await placed(setting, TERMS)
  assert.deepEqual([next.result, next.slot], [RESULT.HELD, held.slot], 'the slot is reused')
  for (const afterMs of [DELAY_MS, DELAY_MS + 100]) {
    clock.nowMs = NOON_MS + afterMs
    exchange.pipeline.tick()
    await exchange.pipeline.whenIdle()
  }
  assert.deepEqual(await storyOf(setting), ['600 releaseOrder'])
})

test('a release that follows a cancel to the market moves nothing', async () => {
  const setting = await opened()
  const { cancels, clock, exchange } = setting
  const { held } = await heldOrder(setting)
  const canceled = cancels.one(TAKER, orderIdOf(setting, held))
  // The cancel is stamped once earlier promises have run. Main has no answer from the market yet.
  for (let each = 0; each < 50; each++) await null
  clock.nowMs = NOON_MS + DELAY_MS
  exchange.pipeline.tick()
  assert.equal(rejectName(await canceled), 'NONE')
  await exchange.pipeline.whenIdle()
  const { ledger, orders } = exchange.pipeline.clearing
  assert.deepEqual([ledger.collateralReservedRaw[TAKER], orders.live.all], [0, 1])
  assert.equal(orders.held.releasingCount, 0)
  const story = await storyOf(setting)
  assert.deepEqual(story, ['0 USER', '500 releaseOrder'])
})

for (const [kind, reason, isEntering] of [
  ['lockMarket', 'MARKET_LOCKED', false],
  ['resolveMarkets', 'MARKET_RESOLVED', true],
] as const) {
  const state = isEntering ? 'entering' : 'held'
  test(`${kind} cancels an order that is ${state} and frees its reserve`, async () => {
    const setting = await opened()
    const { clock, exchange } = setting
    const { pipeline } = exchange
    await heldOrder(setting, { sizeRaw: 15 * SHARE })
    if (isEntering) clock.nowMs = NOON_MS + DELAY_MS
    const resolutions = [{ marketId: MARKET, payoutNumerators: [1, 0] as const }]
    const body = { kind, marketId: MARKET, resolutions }
    await pipeline.change(() => body)
    await pipeline.whenIdle()
    const { ledger, orders } = pipeline.clearing
    assert.deepEqual([ledger.collateralReservedRaw[TAKER], orders.live.all], [0, 0])
    const { lastYesTicks } = pipeline.clearing.catalogue.existing(MARKET)
    assert.equal(lastYesTicks, isEntering ? 500 : 0, 'an order released before has traded')
    clock.nowMs = NOON_MS + 2 * DELAY_MS
    pipeline.tick()
    const story = isEntering
      ? ['500 releaseOrder', `500 ${kind}`, `500 ${reason}`]
      : [`0 ${kind}`, `0 ${reason}`]
    assert.deepEqual(await storyOf(setting), story)
  })
}

test('an order that expires while it is held never trades', async () => {
  const setting = await opened(5000)
  const { clock, exchange } = setting
  await heldOrder(setting, { expirationSec: NOON_MS / 1000 })
  clock.nowMs = NOON_MS + 1000
  exchange.pipeline.tick()
  await exchange.pipeline.whenIdle()
  assert.equal(exchange.pipeline.clearing.orders.live.all, 1)
  clock.nowMs = NOON_MS + 5000
  exchange.pipeline.tick()
  assert.deepEqual(await storyOf(setting), ['1000 EXPIRED'])
})

test('a release waits while takers may not trade, and is no failure', async () => {
  const setting = await opened()
  const { clock, exchange } = setting
  const { pipeline } = exchange
  const { held } = await heldOrder(setting, { orderType: FAK })
  const window = {
    windowId: 1,
    startsAtMs: NOON_MS + 400,
    endsAtMs: NOON_MS + 1000,
    mode: 'post_only' as const,
    publicMessage: '',
  }
  await pipeline.change(() => ({ kind: 'putTradingWindow', window }))
  for (const afterMs of [500, 999]) {
    clock.nowMs = NOON_MS + afterMs
    pipeline.tick()
    await pipeline.whenIdle()
    assert.equal(pipeline.clearing.orders.stateOf(held.slot), STATE.HELD)
  }
  clock.nowMs = NOON_MS + 1000
  pipeline.tick()
  await pipeline.whenIdle()
  assert.equal(pipeline.clearing.orders.live.all, 0, 'both orders have traded')
  assert.deepEqual(await storyOf(setting), ['0 putTradingWindow', '1000 releaseOrder'])
})

const TIES = 50
const ACCOUNTS = 8

/** Cancels orders in random order, so that the slots of the next orders are in no order. */
async function shuffleSlots(setting: Setting): Promise<void> {
  const gone: OrderName[] = []
  for (let each = 0; each < TIES; each++) {
    gone.push(await placed(setting, { ...TERMS, accountId: MAKER, priceTicks: 1, sizeRaw: 1000 }))
  }
  const random = new Random(freshSeed())
  while (gone.length > 0) {
    const [name] = gone.splice(random.below(gone.length), 1)
    assert.equal(rejectName(await setting.cancels.one(MAKER, orderIdOf(setting, name))), 'NONE')
  }
}

async function moreAccounts({ exchange }: Setting): Promise<void> {
  for (let profileId = MAKER + 1; profileId <= ACCOUNTS; profileId++) {
    await addProfile(exchange, profileId, 100 * SHARE)
  }
}

for (const restarted of [false, true]) {
  const when = restarted ? 'also after a restart' : 'not in that of slots'
  test(`takers held at one instant are released in the order of arrival, ${when}`, async () => {
    const setting = await opened()
    await moreAccounts(setting)
    await shuffleSlots(setting)
    await placed(setting, { ...ASK, sizeRaw: TIES * SHARE })
    for (let each = 0; each < TIES; each++) {
      const accountId = each % ACCOUNTS === MAKER - 1 ? TAKER : (each % ACCOUNTS) + 1
      const held = await placed(setting, { ...TERMS, accountId, sizeRaw: SHARE })
      assert.equal(held.result, RESULT.HELD)
    }
    let { exchange } = setting
    if (restarted) {
      await exchange.stop()
      exchange = await openForTest(setting.dataDir, setting.clock, 0)
    }
    setting.clock.nowMs = NOON_MS + DELAY_MS
    exchange.pipeline.tick()
    await exchange.pipeline.whenIdle()
    await exchange.stop()
    const { commands } = recoverAll(setting.dataDir)
    const held = commands.flatMap((each) => (each.kind === 'placeOrder' ? each : [])).slice(-TIES)
    const released = commands.flatMap((each) => (each.kind === 'releaseOrder' ? each : []))
    const nameOf = ({ slot, generation }: OrderName) => `${slot}.${generation}`
    assert.notDeepEqual(
      held.map(({ slot }) => slot),
      held.map(({ slot }) => slot).sort((a, b) => a - b),
    )
    assert.deepEqual(released.map(nameOf), held.map(nameOf))
  })
}
