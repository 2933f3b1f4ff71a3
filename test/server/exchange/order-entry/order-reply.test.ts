import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Catalogue } from '../../../../engine/core/markets/catalogue.ts'
import { RESULT } from '../../../../engine/domain/event.ts'
import { SIDE } from '../../../../engine/domain/order.ts'
import { ORDER_EXAMPLE, orderReply } from '../../../../server/api/orders/order-shapes.ts'
import { compile } from '../../../../server/edge/http/schema/schema.ts'
import { orderReplyText } from '../../../../server/exchange/order-entry/order-reply.ts'
import type { Receipt } from '../../../../server/exchange/publisher/durable-publisher.ts'
import { OrderIds } from '../../../../server/exchange/read-model/order-ids.ts'
import {
  type PublishedMarket,
  PublishedMarkets,
} from '../../../../server/exchange/read-model/published.ts'
import type { SettlementEvent } from '../../../../server/exchange/settlement/mining.ts'
import { marketSpec } from '../../../support/specs.ts'

const ids = new OrderIds(new Uint8Array(32).fill(5))
const shape = compile(orderReply())
const NOW_MS = 1_800_000_000_123
const HOSTILE = '"},{"x":"\\\u2028é🙂'

/** The fields that the intake prints. */
const { signature, maker, signer, taker, tokenId, token, outcome, expiration } = ORDER_EXAMPLE
const { makerAmount, takerAmount, originalSize, orderType, type } = ORDER_EXAMPLE
const SIGNED = {
  maker,
  signer,
  taker,
  tokenId,
  token,
  outcome,
  makerAmount,
  takerAmount,
  originalSize,
  expiration,
  nonce: 0,
  feeRateBps: 300,
  side: 0,
  signatureType: 0,
  signature,
  orderType,
  type,
}

const order = {
  slot: 1,
  generation: 1,
  accountId: 7,
  marketId: 1,
  side: SIDE.BUY,
  feeBps: 300,
  takerDelayMs: 500,
  clientOrderId: '',
  replaced: undefined,
  orderFields: JSON.stringify({ ...SIGNED, salt: '1', price: null, postOnly: false }).slice(1, -1),
}

function receiptOf(more: Partial<Receipt>): Receipt {
  const zeros = { filledSharesRaw: 0, filledCollateralRaw: 0, feeRaw: 0, leftRaw: 0 }
  const base = { seq: 9, nowMs: NOW_MS, result: RESULT.RESTED, makers: [], stpCanceled: [] }
  return { ...base, ...zeros, ...more }
}

const fills = { filledSharesRaw: 150_000_000, filledCollateralRaw: 79_500_000 }
const makers = [
  { slot: 3, generation: 4, sizeRaw: 100_000_000 },
  { slot: 5, generation: 6, sizeRaw: 50_000_000 },
]

const CREATED = '2027-01-15T08:00:00.123Z'

function publishedMarket(): PublishedMarket {
  const catalogue = new Catalogue()
  catalogue.create(1, 1, marketSpec(1, { title: HOSTILE }), NOW_MS)
  const markets = new PublishedMarkets()
  markets.add(catalogue.existing(1))
  const published = markets.byId(1)
  assert.ok(published)
  return published
}

const published = publishedMarket()

function reply(
  side: number,
  clientOrderId: string,
  receipt: Receipt,
  settled: SettlementEvent | null = null,
) {
  const given = { ...order, side, clientOrderId, ...receipt }
  const parsed: unknown = JSON.parse(orderReplyText(given, published, ids, settled))
  assert.ok(shape.holds(parsed), JSON.stringify(shape.issues(parsed)))
  assert.equal(parsed.order.createdAt, CREATED)
  const { salt, price, market } = Object(parsed.order)
  assert.deepEqual([salt, price, market.title, market.group], ['1', null, HOSTILE, null])
  return parsed
}

test('the reply of every outcome is JSON that fits its schema, with any text in it', () => {
  const rested = reply(SIDE.BUY, HOSTILE, receiptOf({}))
  assert.equal(rested.order.status, 'LIVE')
  assert.equal(Object(rested.execution).clientOrderId, HOSTILE)
  assert.equal('tradeEventId' in rested.execution, false)
  const held = reply(SIDE.BUY, '', receiptOf({ result: RESULT.HELD }))
  const waits = [held.order.status, held.execution.settlementStatus, held.execution.eligibleAt]
  assert.deepEqual(waits, ['LIVE', 'DELAYED', '2027-01-15T08:00:00.623Z'])
  const matched = { ...fills, makers, result: RESULT.KILLED }
  const bought = reply(SIDE.BUY, '', receiptOf({ ...matched, feeRaw: 3_990_566 }))
  assert.deepEqual(bought.execution, {
    matched: true,
    settlementStatus: 'MATCHED',
    tradeEventId: '9',
    txHash: null,
    feeRateBps: 300,
    effectiveFeeBps: 266,
    totalsRaw: {
      contractsGross: '150000000',
      contractsFee: '3990566',
      contractsNet: '146009434',
      usdGross: '79500000',
      usdFee: '0',
      usdNet: '79500000',
    },
  })
  const match = { createdAt: CREATED, matchedSize: '50000000', orderId: ids.text(5, 6) }
  assert.deepEqual(bought.makerMatches[1], { id: '9-1', ...match })
  const sold = reply(SIDE.SELL, '', receiptOf({ ...matched, feeRaw: 1_000_000 }))
  assert.equal(sold.execution.totalsRaw.usdNet, '78500000')
  assert.equal(sold.order.status, 'MATCHED')
  const stpCanceled = [{ slot: 8, generation: 2 }]
  const stopped = reply(SIDE.BUY, '', receiptOf({ result: RESULT.STP_STOPPED, stpCanceled }))
  assert.equal(stopped.order.status, 'CANCELED')
  const { reason, stpMakerCancels, settlementStatus } = Object(stopped.execution)
  assert.deepEqual([reason, settlementStatus], ['STP_TAKER_REJECTED', 'CANCELED'])
  assert.deepEqual(stpMakerCancels, [ids.text(8, 2)])
  const killed = reply(SIDE.BUY, '', receiptOf({ result: RESULT.KILLED }))
  assert.equal(killed.order.status, 'UNMATCHED')
})

test('an order whose trade failed is CANCELED, unless a part of it still rests', () => {
  const failed = { tradeSeq: 9, status: 'FAILED', txHash: null, nowMs: 0 } as const
  for (const [result, status] of [
    [RESULT.FILLED, 'CANCELED'],
    [RESULT.KILLED, 'CANCELED'],
    [RESULT.RESTED, 'LIVE'],
  ] as const) {
    const undone = reply(SIDE.BUY, '', receiptOf({ ...fills, makers, result }), failed)
    assert.deepEqual([undone.order.status, undone.execution.settlementStatus], [status, 'FAILED'])
  }
})
