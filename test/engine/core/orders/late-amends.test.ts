import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideDecrease } from '../../../../engine/core/decide/amend.ts'
import { decidePlace } from '../../../../engine/core/decide/decide.ts'
import { reversalOf } from '../../../../engine/core/money/reversal.ts'
import { brokenInvariant } from '../../../../engine/core/state/invariants.ts'
import type { PlaceOrder } from '../../../../engine/domain/command.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { blankPlace } from '../../../../engine/wire/place-codec.ts'
import { LateMarkets } from '../../../support/late-markets.ts'
import { marketSpec, ownRequest, profileFields } from '../../../support/specs.ts'

// Amends whose market has not answered yet (rules §4.10).

const SHARE = 1_000_000
const NOW_MS = 1_700_000_000_000
const NO_FEE = { id: 1, name: 'Any', feeRateBps: 0 }
const [ANN, BEN, CID] = [1, 2, 3]
type Terms = Pick<PlaceOrder, 'accountId' | 'side' | 'outcome' | 'priceTicks' | 'sizeRaw'>
const BID = { accountId: ANN, side: SIDE.BUY, outcome: OUTCOME.YES, priceTicks: 500 }

function setting() {
  const late = new LateMarkets()
  const { clearing } = late
  const stamp = () => ({ seq: clearing.lastSeq + 1, nowMs: NOW_MS })
  for (const profileId of [ANN, BEN, CID]) {
    const profile = profileFields(profileId, { rank: NO_FEE })
    const token = { tokenId: `t${profileId}`, sealedSecret: new Uint8Array(4), label: null }
    late.apply({
      ...stamp(),
      kind: 'createProfile',
      profileId,
      profile,
      token: { ...token, scopes: ['trading'] },
    })
    late.apply({ ...stamp(), kind: 'adjustBalance', profileId, collateralRaw: 5 * SHARE })
  }
  late.apply({ ...stamp(), kind: 'createMarket', marketId: 1, book: 1, market: marketSpec(1) })
  let hash = 0
  const tried = (terms: Terms, amended?: PlaceOrder) => {
    hash++
    const order = {
      ...blankPlace(),
      ...terms,
      marketId: 1,
      book: 1,
      hashHigh: hash,
      hashLow: hash,
    }
    const [{ tokenNo }] = clearing.accounts.tokensOf(terms.accountId)
    const request = {
      ...ownRequest(order, tokenNo),
      ...(amended === undefined ? {} : { amended: { ...amended, seenFilledRaw: null } }),
    }
    const refusal = decidePlace(clearing, request, NOW_MS)
    if (refusal !== null) {
      assert.ok(refusal instanceof Reject)
      return refusal.name
    }
    const placed = { ...order, ...stamp() }
    late.apply(placed)
    return placed
  }
  return {
    late,
    clearing,
    stamp,
    tried,
    placed: (terms: Terms, amended?: PlaceOrder): PlaceOrder => {
      const order = tried(terms, amended)
      assert.ok(typeof order === 'object', String(order))
      return order
    },
    decrease: (order: PlaceOrder, sizeRaw: number) => {
      const amended = { ...order, seenFilledRaw: null }
      const byRaw = decideDecrease(clearing, order.accountId, amended, sizeRaw)
      if (typeof byRaw !== 'number') return byRaw.name
      const { marketId, slot, generation } = order
      late.apply({ kind: 'decreaseOrder', ...stamp(), marketId, slot, generation, byRaw })
      return null
    },
    receiveAll: () => {
      while (late.unreceivedCount > 0) late.receive(1)
    },
  }
}

test('a replacement keeps its reserve when the free balance is negative meanwhile', () => {
  const { clearing, late, stamp, placed, receiveAll } = setting()
  const sold = { sizeRaw: 6 * SHARE, priceTicks: 500 }
  placed({ ...BID, ...sold })
  placed({ ...BID, ...sold, accountId: BEN, outcome: OUTCOME.NO })
  receiveAll()
  placed({ ...BID, ...sold, accountId: CID })
  const sale = placed({ ...BID, ...sold, side: SIDE.SELL })
  receiveAll()
  const old = placed({ ...BID, sizeRaw: 10 * SHARE })
  receiveAll()
  const order = placed({ ...BID, priceTicks: 600, sizeRaw: 8 * SHARE }, old)
  assert.equal(order.reserveRaw, 0)
  const fill = { makerId: CID, makerOutcome: OUTCOME.YES, makerSide: SIDE.BUY, yesTicks: 500 }
  const reversal = reversalOf({
    marketId: 1,
    takerId: ANN,
    side: SIDE.SELL,
    outcome: OUTCOME.YES,
    feeRaw: 0,
    fills: [{ ...fill, sharesRaw: 6 * SHARE }],
  })
  late.apply({ ...stamp(), kind: 'failSettlement', tradeSeq: sale.seq, ...reversal })
  assert.equal(clearing.ledger.freeRaw(ANN), -3 * SHARE)
  receiveAll()
  assert.equal(clearing.orders.leftRawOf(order.slot), 8 * SHARE)
  assert.equal(clearing.ledger.reservedRaw(ANN), 4.8 * SHARE)
  assert.equal(clearing.ledger.freeRaw(ANN), -2.8 * SHARE)
  assert.equal(brokenInvariant(clearing), null)
})

test('an order is amended once at a time, so no size is taken off twice', () => {
  const { clearing, placed, tried, decrease, receiveAll } = setting()
  const order = placed({ ...BID, sizeRaw: 10 * SHARE })
  receiveAll()
  assert.equal(decrease(order, 6 * SHARE), null)
  assert.equal(decrease(order, 5 * SHARE), 'AMEND_IN_PROGRESS')
  assert.equal(tried({ ...BID, sizeRaw: 6 * SHARE }, order), 'AMEND_IN_PROGRESS')
  receiveAll()
  assert.equal(decrease(order, 5 * SHARE), null)
  receiveAll()
  assert.equal(clearing.orders.leftRawOf(order.slot), 5 * SHARE)
  const second = placed({ ...BID, priceTicks: 600, sizeRaw: 8 * SHARE }, order)
  assert.equal(decrease(second, SHARE), 'AMEND_IN_PROGRESS')
  assert.equal(tried({ ...BID, sizeRaw: SHARE }, second), 'AMEND_IN_PROGRESS')
  receiveAll()
  const third = placed({ ...BID, priceTicks: 610, sizeRaw: 8 * SHARE }, second)
  receiveAll()
  assert.equal(clearing.orders.leftRawOf(third.slot), 8 * SHARE)
  assert.equal(brokenInvariant(clearing), null)
})

test('the late answer to an order ends no amend that was decided meanwhile', () => {
  const { late, placed, tried, decrease, receiveAll } = setting()
  const order = placed({ ...BID, sizeRaw: 5 * SHARE })
  const next = placed({ ...BID, priceTicks: 490, sizeRaw: 5 * SHARE }, order)
  late.receive(1)
  assert.equal(decrease(order, SHARE), 'AMEND_IN_PROGRESS')
  assert.equal(tried({ ...BID, sizeRaw: SHARE }, order), 'AMEND_IN_PROGRESS')
  assert.equal(decrease(next, SHARE), 'AMEND_IN_PROGRESS')
  receiveAll()
  assert.equal(decrease(next, SHARE), null)
})

test('an amend that finds its order filled, or is not placed, stops no later one', () => {
  const { placed, decrease, receiveAll } = setting()
  const order = placed({ ...BID, sizeRaw: 5 * SHARE })
  receiveAll()
  placed({ ...BID, accountId: BEN, outcome: OUTCOME.NO, sizeRaw: 5 * SHARE })
  assert.equal(decrease(order, SHARE), null)
  receiveAll()
  // Its slot is free, and the second order from here takes it.
  placed({ ...BID, accountId: CID, priceTicks: 100, sizeRaw: SHARE })
  const next = placed({ ...BID, sizeRaw: 2 * SHARE })
  assert.equal(next.slot, order.slot)
  placed({ ...BID, accountId: CID, outcome: OUTCOME.NO, priceTicks: 490, sizeRaw: SHARE })
  receiveAll()
  assert.equal(decrease(next, SHARE), null)
  receiveAll()
  const crossing = { ...BID, postOnly: true, priceTicks: 510, sizeRaw: SHARE }
  placed(crossing, next)
  receiveAll()
  assert.equal(decrease(next, SHARE / 2), null)
})
