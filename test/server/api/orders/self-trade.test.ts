import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import { loseReadTables } from '../../../support/data-folder.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import type { LiveMarket, OrderRequest } from '../../../support/live-orders.ts'
import { PARTNER_RIGHTS, serverWallet, unsignedBody } from '../../../support/live-partners.ts'
import { accepted, orderIdOf } from '../../../support/replies.ts'

// Self-trade prevention as its trader sees it (rules §4.1), in the reply and in a later status.

const SHARE = 1_000_000
const FUNDS_RAW = 10_000 * SHARE
const DELAY_MS = 30_000
const { live, alice, bob } = await exchange({
  flags: ['--block-ms', '60000'],
  fundsRaw: FUNDS_RAW,
  traders: { alice: { apiToken: { scopes: PARTNER_RIGHTS } }, bob: {} },
})
let markets = 0

const freshMarket = (fields: object = {}) => live.openMarket(`stp-${markets++}`, fields)
const ask = (shares: number): OrderRequest => ({ outcome: 1, ticks: 500, sizeRaw: shares * SHARE })
const bid = (shares: number): OrderRequest => ({ ticks: 500, sizeRaw: shares * SHARE })

/** The data of POST /orders/status/batch for an order. */
async function found(trader: Trader, orderId: string): Promise<unknown> {
  const items = [{ orderId }]
  const reply = await live.call(trader, 'POST', '/orders/status/batch', { items })
  assert.equal(at(reply.body, 'results', 0, 'status'), 'found', reply.text)
  return at(reply.body, 'results', 0, 'data')
}

/**
 * An arrival in the words of the table: its status, its trade, the reason of its stop, its own
 * maker.
 */
interface Reported {
  readonly status: string
  readonly settled: string
  readonly shares: number
  readonly reason?: string
  /** The status of the taker's own resting order. */
  readonly own: 'LIVE' | 'CANCELED'
}

function reportedOf(data: unknown, ownId: string, own: unknown): Reported {
  const execution = at(data, 'execution')
  const reason = at(execution, 'reason')
  const canceled = at(execution, 'stpMakerCancels')
  const shares = Number(at(execution, 'totalsRaw', 'contractsGross')) / SHARE
  const ownStatus = String(at(own, 'order', 'status'))
  assert.deepEqual(canceled, ownStatus === 'CANCELED' ? [ownId] : undefined)
  assert.equal(at(execution, 'matched'), shares > 0)
  return {
    status: String(at(data, 'order', 'status')),
    settled: String(at(execution, 'settlementStatus')),
    shares,
    ...(reason === undefined ? {} : { reason: String(reason) }),
    own: ownStatus === 'CANCELED' ? 'CANCELED' : 'LIVE',
  }
}

const REASON = 'STP_TAKER_REJECTED'
const STOPPED = { status: 'CANCELED', settled: 'CANCELED', shares: 0, reason: REASON } as const
const WHOLE = { status: 'MATCHED', settled: 'MATCHED' } as const

interface Row {
  readonly name: string
  readonly policy?: string
  /**
   * Of two asks at one price, 20 shares of the taker and 50 of another: the ask that came first.
   */
  readonly first: 'own' | 'other'
  readonly taker: readonly [type: string, shares: number]
  readonly reported: Reported
}

const FAK = ['FAK', 60] as const
const ROWS: readonly Row[] = [
  {
    name: 'without a policy the own maker is canceled and the taker goes on',
    first: 'own',
    taker: FAK,
    reported: { ...WHOLE, shares: 50, own: 'CANCELED' },
  },
  {
    name: 'cancel_maker: the own maker is canceled and the taker goes on',
    policy: 'cancel_maker',
    first: 'own',
    taker: FAK,
    reported: { ...WHOLE, shares: 50, own: 'CANCELED' },
  },
  {
    name: 'cancel_taker: nothing is filled and the own maker stays',
    policy: 'cancel_taker',
    first: 'own',
    taker: FAK,
    reported: { ...STOPPED, own: 'LIVE' },
  },
  {
    name: 'cancel_both: nothing is filled and both are canceled',
    policy: 'cancel_both',
    first: 'own',
    taker: FAK,
    reported: { ...STOPPED, own: 'CANCELED' },
  },
  {
    name: 'cancel_taker: the fills before the stop stand',
    policy: 'cancel_taker',
    first: 'other',
    taker: FAK,
    reported: { ...STOPPED, settled: 'MATCHED', shares: 50, own: 'LIVE' },
  },
  {
    name: 'cancel_both: the fills before the stop stand',
    policy: 'cancel_both',
    first: 'other',
    taker: FAK,
    reported: { ...STOPPED, settled: 'MATCHED', shares: 50, own: 'CANCELED' },
  },
  {
    name: 'cancel_taker: a taker that is filled before it meets its own maker is not stopped',
    policy: 'cancel_taker',
    first: 'other',
    taker: ['FAK', 50],
    reported: { ...WHOLE, shares: 50, own: 'LIVE' },
  },
  {
    name: 'cancel_maker: the rest of a GTC rests',
    policy: 'cancel_maker',
    first: 'own',
    taker: ['GTC', 60],
    reported: { status: 'LIVE', settled: 'MATCHED', shares: 50, own: 'CANCELED' },
  },
  {
    name: 'cancel_taker: the rest of a GTC does not rest',
    policy: 'cancel_taker',
    first: 'other',
    taker: ['GTC', 60],
    reported: { ...STOPPED, settled: 'MATCHED', shares: 50, own: 'LIVE' },
  },
  {
    name: 'cancel_maker: a FOK counts only the makers of others',
    policy: 'cancel_maker',
    first: 'own',
    taker: ['FOK', 50],
    reported: { ...WHOLE, shares: 50, own: 'CANCELED' },
  },
  {
    name: 'cancel_maker: a FOK that needs its own maker leaves no trace',
    policy: 'cancel_maker',
    first: 'own',
    taker: ['FOK', 60],
    reported: { status: 'UNMATCHED', settled: 'UNMATCHED', shares: 0, own: 'LIVE' },
  },
  {
    name: 'cancel_taker: a FOK that would meet its own maker is rejected whole',
    policy: 'cancel_taker',
    first: 'own',
    taker: ['FOK', 50],
    reported: { ...STOPPED, own: 'LIVE' },
  },
  {
    name: 'cancel_both: a FOK that would meet its own maker is rejected whole',
    policy: 'cancel_both',
    first: 'own',
    taker: ['FOK', 50],
    reported: { ...STOPPED, own: 'LIVE' },
  },
]

/** Places the two asks of a row in the order of the row. Gives the id of the own ask. */
async function quoted(market: LiveMarket, first: Row['first']): Promise<string> {
  if (first === 'other') await live.placed(bob, market, ask(50))
  const own = await live.ordered(alice, market, ask(20))
  if (first === 'own') await live.placed(bob, market, ask(50))
  return own
}

for (const { name, policy, first, taker, reported } of ROWS) {
  test(name, async () => {
    const market = await freshMarket()
    const own = await quoted(market, first)
    const [orderType, shares] = taker
    const stpPolicy = policy === undefined ? {} : { stpPolicy: policy }
    const reply = await live.placed(alice, market, bid(shares), { orderType, ...stpPolicy })
    const maker = await found(alice, own)
    assert.deepEqual(reportedOf(reply.body, own, maker), reported)
    // Rules §5.2: in a later status an arrival that was stopped without a trade is UNMATCHED.
    const later = reported.settled === 'CANCELED' ? { ...reported, settled: 'UNMATCHED' } : reported
    assert.deepEqual(reportedOf(await found(alice, orderIdOf(reply)), own, maker), later)
    await accepted(live.call(alice, 'DELETE', `/orders/all/${market.slug}`))
    assert.equal(live.balances(alice).reservedRaw, 0)
  })
}

test('a post-only order that would meet only its own order is refused like any other', async () => {
  const market = await freshMarket()
  await live.placed(alice, market, ask(20))
  for (const stpPolicy of ['cancel_maker', 'cancel_taker', 'cancel_both']) {
    const fields = { stpPolicy, postOnly: true }
    const reply = await live.place(alice, market, bid(5), fields)
    assert.equal(reply.status, 400, reply.text)
    assert.equal(at(reply.body, 'message'), REJECT.POST_ONLY_WOULD_MATCH.sentence)
  }
  const open = await live.call(alice, 'GET', `/markets/${market.slug}/user-orders`)
  assert.ok(Array.isArray(open.body) && open.body.length === 1, 'the own order stays')
})

test('an account of a partner is another owner', async () => {
  const market = await freshMarket()
  const { profileId } = await serverWallet(live, alice, FUNDS_RAW)
  await live.placed(alice, market, ask(20))
  const body = unsignedBody(alice, profileId, market, bid(20))
  const reply = await live.call(alice, 'POST', '/orders', { ...body, stpPolicy: 'cancel_both' })
  assert.equal(at(reply.body, 'execution', 'matched'), true, reply.text)
})

test('a held order is stopped at its release, and tables rebuilt say the same', async () => {
  const market = await freshMarket({ takerDelayMs: DELAY_MS })
  const own = await quoted(market, 'own')
  const ids = []
  for (const stpPolicy of ['cancel_both', 'cancel_maker']) {
    const held = await live.placed(alice, market, bid(30), { orderType: 'FAK', stpPolicy })
    assert.equal(at(held.body, 'execution', 'settlementStatus'), 'DELAYED')
    ids.push(orderIdOf(held))
  }
  await live.pass(DELAY_MS + 1)
  const [stopped, gone] = [await found(alice, ids[0]), await found(alice, own)]
  const reported = { ...STOPPED, settled: 'UNMATCHED', own: 'CANCELED' }
  assert.deepEqual(reportedOf(stopped, own, gone), reported)
  const other = await found(alice, ids[1])
  assert.equal(at(other, 'execution', 'matched'), true)
  assert.equal(at(other, 'execution', 'stpMakerCancels'), undefined, 'no own maker was left')
  await live.restart({}, loseReadTables)
  assert.deepEqual(await found(alice, ids[0]), stopped)
  assert.deepEqual(await found(alice, own), gone)
})
