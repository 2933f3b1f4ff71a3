import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fees } from '../../../../server/api/system/exchange-info.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { accepted } from '../../../support/replies.ts'

// What a trading program reads before it trades: what a trade costs, and what time it is.

const { live } = await exchange()

/** Rules §3.1: the fee of 100 shares at 300 bps, and its rate on what the taker receives. */
const TABLE = [
  ['BUY', 0.001, '3000000', 300],
  ['BUY', 0.5, '3000000', 300],
  ['BUY', 0.6, '2000000', 200],
  ['BUY', 0.9, '333333', 33],
  ['BUY', 0.999, '3003', 0],
  ['SELL', 0.001, '3000', 300],
  ['SELL', 0.5, '1500000', 300],
  ['SELL', 0.6, '1200000', 200],
  ['SELL', 0.9, '300000', 33],
  ['SELL', 0.999, '3000', 0],
] as const

test('the worked trades of the fee schedule are those of the rules', async () => {
  const reply = await accepted(live.send('GET', '/fees'))
  assert.deepEqual(fees.replyIssues(reply.body), [])
  const examples = at(reply.body, 'examples')
  assert.ok(Array.isArray(examples))
  for (const [side, price, feeRaw, effectiveFeeBps] of TABLE) {
    const found: unknown = examples.find(
      (each) => at(each, 'side') === side && at(each, 'price') === price,
    )
    assert.deepEqual(found, {
      side,
      price,
      shares: '100000000',
      collateral: String(Math.round(price * 1e8)),
      feeRateBps: 300,
      ...(side === 'BUY' ? { feeContracts: feeRaw } : { feeCollateral: feeRaw }),
      effectiveFeeBps,
    })
  }
  assert.deepEqual(at(reply.body, 'makerFeeBps'), 0)
  const rates = Object(at(reply.body, 'ranks')).map((rank: object) => at(rank, 'feeRateBps'))
  assert.deepEqual(rates, [300, 250, 200, 150, 100])
})

test('the formulas of the fee schedule give its worked trades', async () => {
  const { body } = await live.send('GET', '/fees')
  // The formulas are texts of this program, in the letters that `where` explains.
  const feeBy = (formula: string) =>
    new Function('b', 'c', 'n', 'floor', 'min', `return ${formula}`)
  const formulas = {
    BUY: feeBy(`${at(body, 'takerFee', 'buy')}`),
    SELL: feeBy(`${at(body, 'takerFee', 'sell')}`),
  }
  const examples = at(body, 'examples')
  assert.ok(Array.isArray(examples) && examples.length > 0)
  for (const each of examples) {
    const [b, c, n] = [
      at(each, 'feeRateBps'),
      Number(at(each, 'collateral')),
      Number(at(each, 'shares')),
    ]
    const formula = at(each, 'side') === 'BUY' ? formulas.BUY : formulas.SELL
    const feeRaw = at(each, 'feeContracts') ?? at(each, 'feeCollateral')
    assert.equal(String(formula(b, c, n, Math.floor, Math.min)), feeRaw, JSON.stringify(each))
  }
})

test('the fee schedule is kept by its entity tag', async () => {
  const first = await live.send('GET', '/fees')
  const etag = first.headers.get('etag') ?? ''
  assert.match(etag, /^"[^"]+"$/)
  assert.equal(first.headers.get('cache-control'), 'public, no-cache')
  const again = await live.send('GET', '/fees', { headers: { 'if-none-match': etag } })
  assert.deepEqual([again.status, again.text], [304, ''])
})

test('the time is that of the clock which judges signatures, and nobody keeps it', async () => {
  const shiftMs = 3_600_000
  live.shiftClock(shiftMs)
  const beforeMs = live.nowMs()
  const reply = await live.send('GET', '/time')
  const serverTime = Number(at(reply.body, 'serverTime'))
  assert.ok(serverTime >= beforeMs && serverTime <= live.nowMs(), reply.text)
  assert.equal(at(reply.body, 'iso'), new Date(serverTime).toISOString())
  assert.equal(reply.headers.get('cache-control'), 'no-store')
  assert.equal(reply.headers.get('etag'), null)
  live.shiftClock(-shiftMs)
})

test('an exchange on its own chain publishes no confirmations and no block explorer', async () => {
  const { body } = await accepted(live.send('GET', '/exchange-info'))
  const names = Object.keys(Object(at(body, 'chain')))
  assert.deepEqual(names, ['chainId', 'domainName', 'domainVersion', 'exchange', 'collateral'])
})
