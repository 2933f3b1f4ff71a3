import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import {
  type LiveMarket,
  type OrderRequest,
  signedFor,
  unsigned,
} from '../../../support/live-orders.ts'
import { accepted, type Reply } from '../../../support/replies.ts'

// The fees that an order signs, pays and reports (rules §3.1, §3.3, §3.5). Bob quotes.

const SHARE = 1_000_000
const FUNDS_RAW = 100_000 * SHARE
const FEE_BPS = 300
const { live, free, paid, alice, bob } = await exchange({
  markets: { free: {}, paid: { fee: true } },
  fundsRaw: FUNDS_RAW,
  traders: ['alice', 'bob'],
})

// Alice gets the shares that she sells later as a maker, so without a fee.
await placed(alice, { ticks: 500, sizeRaw: 1000 * SHARE })
await placed(bob, { outcome: 1, ticks: 500, sizeRaw: 1000 * SHARE })

function placed(trader: Trader, wanted: OrderRequest, market = paid): Promise<Reply> {
  return live.placed(trader, market, wanted)
}

const quote = (wanted: OrderRequest) => placed(bob, { ...wanted, sizeRaw: 100 * SHARE })

/** Sends a bid for one share that signs this rate. */
function signing(trader: Trader, market: LiveMarket, feeRateBps: number): Promise<Reply> {
  const order = { ...unsigned(trader, market, { sizeRaw: SHARE }), feeRateBps }
  return live.place(trader, market, {}, { order: signedFor(order, trader, market) })
}

/** Rules §3.1 and §3.5: 100 shares at 300 bps, with what the fill paid in basis points. */
const FEES: readonly [ticks: number, buyShares: number, sellUsd: number, effectiveBps: number][] = [
  [1, 3_000_000, 3_000, 300],
  [500, 3_000_000, 1_500_000, 300],
  [600, 2_000_000, 1_200_000, 200],
  [900, 333_333, 300_000, 33],
  [999, 3_003, 3_000, 0],
]

test('a buyer pays its fee in shares, a seller in collateral, and the totals add up', async () => {
  for (const [ticks, buyFeeRaw, sellFeeRaw, effectiveFeeBps] of FEES) {
    const usdRaw = ticks * 100_000
    await quote({ outcome: 1, ticks: 1000 - ticks })
    const bought = await placed(alice, { ticks, sizeRaw: 100 * SHARE })
    await quote({ ticks })
    const sold = await placed(alice, { side: 'sell', ticks, sizeRaw: 100 * SHARE })
    const whole = { contractsGross: '100000000', usdGross: String(usdRaw) }
    for (const [reply, inShares, inUsd] of [
      [bought, buyFeeRaw, 0],
      [sold, 0, sellFeeRaw],
    ] as const) {
      const { feeRateBps, effectiveFeeBps: effective, totalsRaw } = Object(reply.body).execution
      assert.deepEqual([feeRateBps, effective], [FEE_BPS, effectiveFeeBps], String(ticks))
      assert.deepEqual(totalsRaw, {
        ...whole,
        contractsFee: String(inShares),
        contractsNet: String(100 * SHARE - inShares),
        usdFee: String(inUsd),
        usdNet: String(usdRaw - inUsd),
      })
    }
  }
})

test('a market without a fee takes any signed rate and charges none', async () => {
  for (const feeRateBps of [0, 299, 1000]) {
    await placed(bob, { outcome: 1, sizeRaw: SHARE }, free)
    const reply = await accepted(signing(alice, free, feeRateBps), 201)
    assert.equal(at(reply.body, 'order', 'feeRateBps'), feeRateBps, 'what was signed')
    assert.equal(at(reply.body, 'execution', 'feeRateBps'), 0)
    assert.equal(at(reply.body, 'execution', 'matched'), true)
    assert.equal(at(reply.body, 'execution', 'totalsRaw', 'contractsFee'), '0')
  }
})

test('the rate to sign is the lower of rank and cap, and a refusal names it', async () => {
  const carol = await live.trader(FUNDS_RAW)
  for (const [change, rate] of [
    [{}, 300],
    [{ feeCapBps: 120 }, 120],
    [{ feeCapBps: 1000 }, 300],
    [{ rank: 'Diamond' }, 100],
    [{ feeCapBps: 0 }, 0],
  ] as const) {
    await live.admin('/admin/profiles', { account: carol.account, ...change })
    for (const feeRateBps of [rate === 0 ? 1 : rate - 1, rate + 1]) {
      const wrong = await signing(carol, paid, feeRateBps)
      const { status, body } = wrong
      assert.deepEqual([status, at(body, 'code')], [400, 'FEE_RATE_MISMATCH'], wrong.text)
      assert.equal(at(body, 'expectedFeeRateBps'), rate)
    }
    const right = await signing(carol, paid, rate)
    assert.equal(at(right.body, 'execution', 'feeRateBps'), rate, right.text)
  }
})
