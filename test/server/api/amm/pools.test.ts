import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveHashOf } from '../../../../engine/core/money/tx-hash.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { CHAIN_ID } from '../../../support/live-orders.ts'
import { serverWallet } from '../../../support/live-partners.ts'
import { cookieOf, login, newWallet, withCookie } from '../../../support/live-session.ts'
import { assertRefused, type Reply } from '../../../support/replies.ts'
import { handshakeOf, SocketClient } from '../../../support/socket-client.ts'

// Trades with pools over HTTP and sockets (rules §7). Blocks come when a test calls for one.

const UNIT = 1_000_000
const BLOCK_MS = 60_000
const RIGHTS = ['trading', 'delegated_signing', 'account_creation']
/** Needs no read of a market that left memory, which a busy machine may answer too late. */
const UNKNOWN_POOL = `0x${'0'.repeat(40)}`
const flags = ['--block-ms', String(BLOCK_MS)]
const { live, lea } = await exchange({ flags, stepwise: true, traders: { lea: 100_000 * UNIT } })
let count = 0

const trader = (units = 1000) => live.trader(units * UNIT, { apiToken: { scopes: RIGHTS } })
const post = (who: Trader, path: string, body: object) => live.call(who, 'POST', path, body)

function made(reply: Reply, status = 201): unknown {
  assert.equal(reply.status, status, reply.text)
  return reply.body
}

function shift(byMs = BLOCK_MS): void {
  live.shiftClock(byMs)
}

/** A block holds all that came so far. */
async function mine(): Promise<void> {
  const { pipeline } = live.exchange
  await pipeline.durable()
  shift()
  pipeline.tick()
  await pipeline.durable()
}

/** A market whose pool has 1,000 of each, at the fee of 0.40%. */
async function openPool(collateralRaw = 1000 * UNIT, hints = [1, 1]): Promise<string> {
  const slug = `pool-${++count}`
  made(await live.admin('/admin/markets', { kind: 'amm', slug, title: slug }))
  const body = { profileId: lea.profileId, collateralRaw, hints }
  made(await live.admin(`/admin/markets/${slug}/liquidity`, body))
  return slug
}

const approve = (who: Trader, market: string, side: 'BUY' | 'SELL') =>
  post(who, '/amm/allowances/approve', { market, side })
const buy = (who: Trader, market: string, raw: number | string, more: object = {}) =>
  post(who, '/amm/buy', { market, outcomeIndex: 0, collateralAmount: String(raw), ...more })
const sell = (who: Trader, market: string, raw: number | string, more: object = {}) =>
  post(who, '/amm/sell', { market, outcomeIndex: 0, collateralReturnAmount: String(raw), ...more })
const addressOf = async (slug: string) =>
  textAt((await live.send('GET', `/markets/${slug}`)).body, 'address')

async function admitted(slug: string): Promise<Trader> {
  const who = await trader()
  made(await approve(who, slug, 'BUY'), 202)
  made(await approve(who, slug, 'SELL'), 202)
  await mine()
  return who
}

test('a purchase and a sale give the worked numbers, and the market shows them', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  const bought = made(await buy(ann, slug, 10 * UNIT))
  const transactionId = textAt(bought, 'transactionId')
  assert.deepEqual(bought, {
    status: 'SUBMITTED',
    market: slug,
    outcomeIndex: 0,
    collateralAmount: '10000000',
    expectedShares: '19821776',
    minShares: '19623558',
    transactionId,
    txHash: moveHashOf(CHAIN_ID, Number(transactionId)),
  })
  const shown = (await live.send('GET', `/markets/${slug}`)).body
  assert.deepEqual(at(shown, 'prices'), [50.4955, 49.5045])
  assert.equal(at(shown, 'volume'), '10000000')
  assert.equal(at(shown, 'liquidity'), '999950891')
  assert.equal(at(shown, 'openInterest'), String(1_009_960_000 - 990_138_224))
  assert.deepEqual(at(shown, 'reserves'), { yes: '990138224', no: '1009960000' })
  assert.equal(at(shown, 'feeBps'), 40)
  await mine()
  const sold = made(await sell(ann, slug, 5 * UNIT))
  assert.equal(at(sold, 'expectedShares'), '9966220')
  assert.equal(at(sold, 'maxShares'), '10065883')
  assert.deepEqual(live.balances(ann), { freeRaw: 995 * UNIT, reservedRaw: 0 })
})

test('a trade needs an approval that a block holds, each side its own', async () => {
  const slug = await openPool()
  const ann = await trader()
  const check = (side: string) => post(ann, '/amm/allowances/check', { market: slug, side })
  const missing = made(await check('BUY'), 200)
  assert.equal(at(missing, 'status'), 'missing')
  assert.equal(at(missing, 'currentAllowance'), '0')
  assertRefused(await buy(ann, slug, UNIT), 422, 'APPROVAL_MISSING')
  const requested = made(await approve(ann, slug, 'BUY'), 202)
  assert.equal(at(requested, 'status'), 'submitted')
  assert.deepEqual(made(await approve(ann, slug, 'BUY'), 202), requested, 'once is enough')
  assertRefused(await buy(ann, slug, UNIT), 422, 'APPROVAL_MISSING')
  await mine()
  const confirmed = made(await check('BUY'), 200)
  assert.equal(at(confirmed, 'confirmed'), true)
  assert.equal(at(confirmed, 'walletAddress'), ann.account)
  assert.equal(at(confirmed, 'spenderOrOperator'), await addressOf(slug))
  assert.equal(at(made(await approve(ann, slug, 'BUY'), 200), 'status'), 'confirmed')
  made(await buy(ann, slug, UNIT))
  await mine()
  assertRefused(await sell(ann, slug, 1000), 422, 'APPROVAL_MISSING')
  assert.equal(at(made(await check('SELL'), 200), 'isApprovedForAll'), false)
})

test('a pool is named by its slug or by its checksummed address', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  const address = await addressOf(slug)
  assert.equal(at(made(await buy(ann, address, UNIT)), 'market'), slug)
  const wrong = address.replace(/[a-f]/i, (each) =>
    each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase(),
  )
  assertRefused(await buy(ann, wrong, UNIT), 400, 'VALIDATION')
  assertRefused(await buy(ann, `0x${'1'.repeat(40)}`, UNIT), 404, 'MARKET_NOT_FOUND')
  assertRefused(await buy(ann, 'no-such-market', UNIT), 404, 'MARKET_NOT_FOUND')
  await live.openMarket('a-book')
  assertRefused(await buy(ann, 'a-book', UNIT), 400, 'MARKET_NOT_POOL')
})

test('a wrong body is 400, and says which field', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  const bodies: readonly object[] = [
    {},
    { market: slug },
    { market: slug, outcomeIndex: 2, collateralAmount: '1' },
    { market: slug, outcomeIndex: 0, collateralAmount: 1 },
    { market: slug, outcomeIndex: 0, collateralAmount: '0' },
    { market: slug, outcomeIndex: 0, collateralAmount: '-1' },
    { market: slug, outcomeIndex: 0, collateralAmount: '1.5' },
    { market: slug, outcomeIndex: 0, collateralAmount: `1${'0'.repeat(78)}` },
    { market: slug, outcomeIndex: 0, collateralAmount: '9'.repeat(78) },
    { market: slug, outcomeIndex: 0, collateralAmount: '1', slippageBps: 1001 },
    { market: slug, outcomeIndex: 0, collateralAmount: '1', slippageBps: -1 },
    { market: slug, outcomeIndex: 0, collateralAmount: '1', idempotencyKey: ' ' },
    { market: slug, outcomeIndex: 0, collateralAmount: '1', idempotencyKey: 'k'.repeat(129) },
    { market: slug, outcomeIndex: 0, collateralAmount: '1', onBehalfOf: 0 },
    { market: 'm'.repeat(256), outcomeIndex: 0, collateralAmount: '1' },
  ]
  for (const body of bodies) {
    assertRefused(await post(ann, '/amm/buy', body), 400, 'VALIDATION')
  }
  for (const side of ['buy', 'sell', '', 1]) {
    assertRefused(
      await post(ann, '/amm/allowances/check', { market: slug, side }),
      400,
      'VALIDATION',
    )
  }
})

test('what the pool or the balance cannot bear is 422, at any size', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  for (const raw of ['1000000001', '9007199254740993', '1'.repeat(77)]) {
    assertRefused(await buy(ann, slug, raw), 422, 'POOL_FUNDS_SHORT')
  }
  assertRefused(await buy(ann, slug, 1), 422, 'POOL_AMOUNT_TOO_SMALL')
  assertRefused(await sell(ann, slug, 1), 422, 'POOL_FUNDS_SHORT')
  for (const raw of ['1000000000', '9007199254740993', '1'.repeat(77)]) {
    assertRefused(await sell(ann, slug, raw), 422, 'POOL_QUOTE_INVALID')
  }
  assert.deepEqual(live.balances(ann), { freeRaw: 1000 * UNIT, reservedRaw: 0 })
})

test('a trade beyond minShares or maxShares is refused with what the pool computes', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  const bob = await admitted(slug)
  const stated = { minShares: '19821776', slippageBps: 0 }
  // Ann saw 19.82 shares for 10; Bob trades first.
  made(await buy(bob, slug, 250 * UNIT))
  const late = await buy(ann, slug, 10 * UNIT, stated)
  assertRefused(late, 422, 'POOL_SHARES_BEYOND')
  const [computed] = /\d+/.exec(textAt(late.body, 'message')) ?? []
  assert.equal(live.balances(ann).freeRaw, 1000 * UNIT)
  const one = String(Number(computed) + 1)
  assertRefused(await buy(ann, slug, 10 * UNIT, { minShares: one }), 422, 'POOL_SHARES_BEYOND')
  const bought = made(await buy(ann, slug, 10 * UNIT, { minShares: computed }))
  assert.equal(at(bought, 'expectedShares'), computed)
  assert.equal(at(bought, 'minShares'), computed)
  await mine()
  const low = await sell(ann, slug, 5 * UNIT, { maxShares: '1' })
  assertRefused(low, 422, 'POOL_SHARES_BEYOND')
  const [wanted] = /\d+/.exec(textAt(low.body, 'message')) ?? []
  const sold = made(await sell(ann, slug, 5 * UNIT, { maxShares: wanted }))
  assert.equal(at(sold, 'expectedShares'), wanted)
  for (const bad of ['0', '1.5', '-1', `1${'0'.repeat(78)}`, '9'.repeat(78)]) {
    assertRefused(await buy(ann, slug, UNIT, { minShares: bad }), 400, 'VALIDATION')
  }
})

test('a second trade before the block is 409, and a closed market too', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  made(await buy(ann, slug, UNIT))
  assertRefused(await buy(ann, slug, 2 * UNIT), 409, 'POOL_TRADE_RUNNING')
  await mine()
  made(await live.admin(`/admin/markets/${slug}/lock`, ''), 200)
  assertRefused(await buy(ann, slug, UNIT), 409, 'POOL_CLOSED')
  made(await live.admin(`/admin/markets/${slug}/unlock`, ''), 200)
  made(await buy(ann, slug, UNIT))
})

test('an idempotency key gives the first reply again, also after a restart', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  const key = { idempotencyKey: 'once' }
  const first = made(await buy(ann, slug, UNIT, key))
  assert.deepEqual(made(await buy(ann, slug, UNIT, key)), first)
  assertRefused(await buy(ann, slug, 2 * UNIT, key), 409, 'IDEMPOTENCY_KEY_TAKEN')
  assertRefused(await sell(ann, slug, UNIT, key), 409, 'IDEMPOTENCY_KEY_TAKEN')
  await live.restart()
  assert.deepEqual(made(await buy(ann, slug, UNIT, key)), first)
  assertRefused(await buy(ann, slug, 2 * UNIT), 409, 'POOL_TRADE_RUNNING')
  assert.equal(live.balances(ann).freeRaw, 999 * UNIT)
})

test('partners trade for sub-accounts, sessions for themselves, legacy keys not', async () => {
  const slug = await openPool()
  const partner = await trader()
  const desk = await serverWallet(live, partner, 10 * UNIT)
  const own = { onBehalfOf: desk.profileId }
  const approval = { market: slug, side: 'BUY', ...own }
  made(await post(partner, '/amm/allowances/approve', approval), 202)
  const wallet = newWallet()
  const cookie = cookieOf(await login(live, wallet))
  const ofSession = { market: slug, side: 'BUY' }
  const requested = await withCookie(live, cookie, 'POST', '/amm/allowances/approve', ofSession)
  made(requested, 202)
  await mine()
  made(await buy(partner, slug, UNIT, own))
  assert.equal(live.exchange.pipeline.clearing.ledger.freeRaw(desk.profileId), 9 * UNIT)
  const legacy = await live.send('POST', '/amm/buy', {
    headers: { 'x-api-key': 'lmts_0123', 'content-type': 'application/json' },
    body: JSON.stringify({ market: slug, outcomeIndex: 0, collateralAmount: '1' }),
  })
  assert.equal(legacy.status, 401, legacy.text)
})

test('prices come with the block that holds the trade', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  const marketAddress = await addressOf(slug)
  const client = await SocketClient.open(live.port)
  client.socket.emit('subscribe_market_prices', { marketAddresses: [marketAddress] })
  const [first] = await client.take('newPriceData', 1)
  assert.equal(at(first, 'updatedPrices', 0, 'yesPrice'), 0.5)
  made(await buy(ann, slug, 10 * UNIT))
  assert.equal(client.of('newPriceData').length, 1, 'no block holds it yet')
  await mine()
  const [, second] = await client.take('newPriceData', 2)
  assert.deepEqual(at(second, 'updatedPrices', 0, 'yesPrice'), 0.504955)
  assert.equal(at(second, 'marketAddress'), marketAddress)
  assert.ok(Number(at(second, 'blockNumber')) > Number(at(first, 'blockNumber')))
  await client.close()
})

test('prices of the past, history and positions show trades with pools', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  made(await buy(ann, slug, 10 * UNIT))
  const past = await live.send('GET', `/markets/${slug}/historical-price?interval=1h`)
  assert.equal(
    at(past.body, 'prices', 0, 'price') ?? at(past.body, 0, 'prices', 0, 'price'),
    0.504955,
  )
  const history = made(await live.call(ann, 'GET', '/portfolio/history?limit=10'), 200)
  assert.equal(at(history, 'data', 0, 'strategy'), 'Buy')
  assert.equal(at(history, 'data', 0, 'collateralAmount'), '10')
  await mine()
  made(await sell(ann, slug, 5 * UNIT))
  const trades = made(await live.call(ann, 'GET', '/portfolio/trades'), 200)
  const reported = [0, 1].map((row) => {
    const names = ['strategy', 'outcomeTokenAmount', 'outcomeTokenPrice', 'operation'] as const
    return names.map((name) => at(trades, 'data', row, name))
  })
  assert.deepEqual(reported, [
    ['Sell', '9.96622', 0.501695, 'sell'],
    ['Buy', '19.821776', 0.504496, 'buy'],
  ])
  assert.equal(at(trades, 'data', 0, 'transactionHash'), null, 'no block holds it yet')
  assert.match(textAt(trades, 'data', 1, 'transactionHash'), /^0x[0-9a-f]{64}$/)
  const held = made(await live.call(ann, 'GET', '/portfolio/positions'), 200)
  const { market: _market, ...row } = Object(at(held, 'amm', 0))
  assert.deepEqual(row, {
    account: ann.account,
    outcomeIndex: 0,
    collateralAmount: '4.972086',
    outcomeTokenAmount: '9.855556',
    averageFillPrice: '0.504496',
    totalBuysCost: '10',
    totalSellsCost: '5',
    realizedPnl: '-0.027914',
    unrealizedPnl: '-0.020024',
    latestTrade: { outcomeTokenPrice: '0.502464' },
  })
  assert.deepEqual(at(held, 'clob'), [])
})

test('positions and transactions of pools come to the sockets of their owner', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  const marketAddress = await addressOf(slug)
  const client = await SocketClient.open(live.port, { headers: handshakeOf(ann, live.nowMs()) })
  client.socket.emit('subscribe_transactions')
  client.socket.emit('subscribe_positions', { marketAddresses: [marketAddress] })
  const [first] = await client.take('positions', 1)
  assert.deepEqual(first, { type: 'AMM', account: ann.account, marketAddress, positions: [] })
  made(await buy(ann, slug, UNIT))
  const [, second] = await client.take('positions', 2)
  assert.equal(at(second, 'positions', 0, 'balance'), '1991008')
  assert.equal(at(second, 'positions', 0, 'collateralOutOnSell'), '992015')
  const conditionId = textAt((await live.send('GET', `/markets/${slug}`)).body, 'conditionId')
  await mine()
  made(await post(ann, '/portfolio/split', { conditionId, amount: '7' }))
  await mine()
  const [bought, pairs] = await client.take('tx', 2)
  assert.equal(at(bought, 'source'), 'AMM')
  assert.equal(at(bought, 'side'), 'BUY')
  assert.equal(at(bought, 'amountContracts'), '1991008')
  assert.equal(at(bought, 'amountCollateral'), '1000000')
  assert.equal(at(bought, 'price'), '0.502258')
  assert.deepEqual([at(pairs, 'status'), at(pairs, 'amountCollateral')], ['CONFIRMED', '7'])
  await client.close()
})

test('the operator moves providers, and all leave by themselves behind the payout', async () => {
  const slug = await openPool()
  const ann = await admitted(slug)
  made(await buy(ann, slug, 10 * UNIT))
  const path = `/admin/markets/${slug}/liquidity`
  const half = made(
    await live.admin(`${path}/remove`, { profileId: lea.profileId, liquidityRaw: 500 * UNIT }),
    200,
  )
  assert.deepEqual(half, {
    profileId: lea.profileId,
    liquidityRaw: 500 * UNIT,
    sharesRaw: [495_069_112, 504_980_000],
    feesRaw: 40_000,
  })
  const gone = { profileId: ann.profileId }
  assertRefused(await live.admin(`${path}/remove`, gone), 409, 'LIQUIDITY_SHORT')
  made(await live.admin(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex: 0 }), 200)
  await mine()
  const { catalogue, ledger, pools } = live.exchange.pipeline.clearing
  const market = catalogue.bySlug(slug)
  assert(market !== undefined)
  for (let slice = 0; pools.of(market.marketId)?.liquidityRaw !== 0; slice++) {
    assert(slice < 100, 'the providers leave')
    shift()
    live.exchange.pipeline.tick()
  }
  const held = [0, 1].map((side) => ledger.freeSharesRaw(lea.profileId, market.marketId, side))
  assert.deepEqual(held, [990_138_224, 1_009_960_000])
})

test('an account has ten calls at once over the four routes, then it waits', async () => {
  const { live: limited } = await exchange({ limited: true })
  const ann = await limited.trader(UNIT, { apiToken: { scopes: RIGHTS } })
  const ben = await limited.trader(UNIT, { apiToken: { scopes: RIGHTS } })
  const body = { market: UNKNOWN_POOL, side: 'BUY' }
  const request = (who: Trader) => limited.call(who, 'POST', '/amm/allowances/check', body)
  // Sixty calls would last fifty seconds at the rate of one a second.
  const replies = await Promise.all(Array.from({ length: 60 }, () => request(ann)))
  const refused = replies.filter(({ status }) => status === 429)
  assert.ok(refused.length > 0 && refused.length <= 50, `${refused.length} of 60 have to wait`)
  for (const { headers } of refused) {
    assert.ok(Number(headers.get('retry-after')) >= 1)
    // The limit that was hit, and not that of the rate class.
    assert.deepEqual(
      ['limit', 'remaining'].map((name) => headers.get(`ratelimit-${name}`)),
      ['10', '0'],
    )
  }
  const other = await request(ben)
  assert.equal(other.status, 404, 'nobody else waits')
  assert.equal(other.headers.get('ratelimit-limit'), '2000', 'any other reply shows its rate class')
})

test('the children of a partner count apart, and so does the partner itself', async () => {
  const { live: limited } = await exchange({ limited: true })
  const partner = await limited.trader(UNIT, { apiToken: { scopes: RIGHTS } })
  const children = [
    await serverWallet(limited, partner, UNIT),
    await serverWallet(limited, partner, UNIT),
  ]
  const request = (profileId?: number) => {
    const body = { market: UNKNOWN_POOL, side: 'BUY' }
    const named = profileId === undefined ? body : { ...body, onBehalfOf: profileId }
    return limited.call(partner, 'POST', '/amm/allowances/check', named)
  }
  for (const child of [...children.map(({ profileId }) => profileId), undefined]) {
    const replies = await Promise.all(Array.from({ length: 10 }, () => request(child)))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([404]))
  }
  const [first] = children
  const more = await Promise.all(Array.from({ length: 40 }, () => request(first.profileId)))
  assert.ok(
    more.some(({ status }) => status === 429),
    'one child has its own ten',
  )
})
