import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reversalOf } from '../../../../engine/core/money/reversal.ts'
import type { PlaceOrder } from '../../../../engine/domain/command.ts'
import { ORDER_STATUSES } from '../../../../engine/domain/order.ts'
import { REJECT, Reject } from '../../../../engine/domain/reject-precedence.ts'
import { Cancels } from '../../../../server/api/orders/cancels.ts'
import type { OrderName } from '../../../../server/exchange/sequencer/sequencer.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { addProfile, buy, fill, openForTest } from '../../../support/open-pipeline.ts'

// The fills in the reply of a cancel, from the state of the core alone: no table is queried here.

const SHARE = 1_000_000
const NOW_MS = 1_800_000_000_000
const TAKER = 1
const MAKER = 2
const MARKET = 1
/** A buy of NO at 0.40 rests as an offer of YES at 0.60. */
const ASK = { marketId: MARKET, accountId: MAKER, outcome: 1, priceTicks: 400 }

const noTables = {
  order: () => assert.fail('the state of the core knows it'),
  orderByClientId: () => assert.fail('the state of the core knows it'),
}

async function opened() {
  const exchange = await openForTest(newFolder(), { nowMs: NOW_MS })
  await fill(exchange, 1000 * SHARE)
  const { pipeline } = exchange
  await addProfile(exchange, MAKER, 1000 * SHARE)
  const { orders } = pipeline.clearing
  let hashes = 0
  /** Stamps an order; its market has not answered yet. */
  const stamp = (order: Partial<PlaceOrder>): OrderName => {
    assert.equal(buy(exchange, ++hashes, { marketId: MARKET, ...order }), null)
    const { lastSeq } = pipeline.clearing
    let slot = orders.highSlot
    while (orders.seqOf(slot) !== lastSeq) slot--
    return { slot, generation: orders.generationOf(slot) }
  }
  const nameOf = ({ slot, generation }: OrderName) => ({
    orderId: pipeline.ids.text(slot, generation),
  })
  return { exchange, pipeline, stamp, nameOf, cancels: new Cancels(pipeline, noTables) }
}

test('a cancel that meets the fill of its order answers ORDER_FILLED', async () => {
  const { pipeline, stamp, nameOf, cancels } = await opened()
  const first = stamp({ ...ASK, sizeRaw: 5 * SHARE })
  const second = stamp({ ...ASK, sizeRaw: 5 * SHARE })
  await pipeline.whenIdle()
  stamp({ priceTicks: 600, sizeRaw: 10 * SHARE })
  const [one, batch] = await Promise.all([
    cancels.one(MAKER, nameOf(first)),
    cancels.batch(MAKER, [nameOf(second)]),
  ])
  assert.equal(one, REJECT.ORDER_FILLED)
  assert.ok(!(batch instanceof Reject))
  assert.deepEqual(
    batch.failed.map(({ reason }) => reason),
    ['ORDER_FILLED'],
  )
})

test('the state of the core says why an order has ended, and only to its owner', async () => {
  const { pipeline, stamp, nameOf, cancels } = await opened()
  const filled = stamp({ ...ASK, sizeRaw: 5 * SHARE })
  const canceled = stamp({ ...ASK, sizeRaw: 5 * SHARE })
  await pipeline.whenIdle()
  stamp({ priceTicks: 600, sizeRaw: 5 * SHARE })
  await pipeline.whenIdle()
  assert.equal(await cancels.one(MAKER, nameOf(filled)), REJECT.ORDER_FILLED)
  assert.equal(await cancels.one(TAKER, nameOf(filled)), REJECT.ORDER_NOT_FOUND)
  assert.ok(!((await cancels.one(MAKER, nameOf(canceled))) instanceof Reject))
  assert.equal(await cancels.one(MAKER, nameOf(canceled)), REJECT.ORDER_NOT_OPEN)
  const batch = await cancels.batch(MAKER, [nameOf(filled), nameOf(canceled)])
  assert.ok(!(batch instanceof Reject))
  const reasons = batch.failed.map(({ reason }) => reason)
  assert.deepEqual(reasons, ['ORDER_FILLED', 'ORDER_NOT_FOUND'])
})

test('a canceled order says what it traded as taker and as maker', async () => {
  const { pipeline, stamp, nameOf, cancels } = await opened()
  stamp({ ...ASK, sizeRaw: 2 * SHARE })
  await pipeline.whenIdle()
  // Takes two shares at 0.60, rests at 0.65, and gives three there.
  const order = stamp({ priceTicks: 650, sizeRaw: 10 * SHARE })
  await pipeline.whenIdle()
  stamp({ ...ASK, priceTicks: 350, sizeRaw: 3 * SHARE })
  await pipeline.whenIdle()
  const canceled = await cancels.one(TAKER, nameOf(order))
  assert.deepEqual(canceled, {
    ...nameOf(order),
    filledSharesRaw: 5 * SHARE,
    filledCollateralRaw: 2 * 600_000 + 3 * 650_000,
    leftRaw: 5 * SHARE,
  })
})

test('after a reversal the tables say what became of a filled order, also in a race', async () => {
  const { pipeline, stamp, nameOf } = await opened()
  const canceled = { accountId: MAKER, status: ORDER_STATUSES.indexOf('CANCELED') }
  const requested: OrderName[] = []
  const cancels = new Cancels(pipeline, {
    order: async (_profileId, order) => {
      requested.push(order)
      return canceled
    },
    orderByClientId: () => assert.fail('no order has a client id'),
  })
  const first = stamp({ ...ASK, sizeRaw: 5 * SHARE })
  await pipeline.whenIdle()
  stamp({ priceTicks: 600, sizeRaw: 5 * SHARE })
  const tradeSeq = pipeline.clearing.lastSeq
  await pipeline.whenIdle()
  assert.equal(await cancels.one(MAKER, nameOf(first)), REJECT.ORDER_FILLED)
  const fills = [
    { makerId: MAKER, makerOutcome: 1, makerSide: 0, sharesRaw: 5 * SHARE, yesTicks: 600 },
  ]
  const trade = { marketId: MARKET, takerId: TAKER, side: 0, outcome: 0, feeRaw: 0, fills }
  await pipeline.change(() => ({ kind: 'failSettlement', tradeSeq, ...reversalOf(trade) }))
  assert.equal(await cancels.one(MAKER, nameOf(first)), REJECT.ORDER_NOT_OPEN)
  const second = stamp({ ...ASK, sizeRaw: 5 * SHARE })
  await pipeline.whenIdle()
  stamp({ priceTicks: 600, sizeRaw: 5 * SHARE })
  assert.equal(await cancels.one(MAKER, nameOf(second)), REJECT.ORDER_NOT_OPEN)
  assert.deepEqual(requested, [first, second])
})
