import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  APIError,
  Client,
  ConflictError,
  UnprocessableEntityError,
  ValidationError,
} from '@limitless-exchange/sdk'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { serverWallet } from '../support/live-partners.ts'
import { accepted } from '../support/replies.ts'
import { until } from '../support/until.ts'

// The public client, unmodified from npm, trades with pools and moves the money of server wallets.

const UNIT = 1_000_000
const SCOPES = ['trading', 'delegated_signing', 'account_creation', 'withdrawal']
const { live, partner } = await exchange({
  flags: ['--block-ms', '20'],
  traders: { partner: { collateralRaw: 10_000 * UNIT, apiToken: { scopes: SCOPES } } },
})

const desk = await serverWallet(live, partner, 100 * UNIT)
const { tokenId, secret } = partner
const baseURL = `http://127.0.0.1:${live.port}`
const client = new Client({ baseURL, hmacCredentials: { tokenId, secret } })
const slug = 'rain-pool'
await accepted(live.admin('/admin/markets', { kind: 'amm', slug, title: 'Rain?' }), 201)
const body = { profileId: partner.profileId, collateralRaw: 1000 * UNIT }
await accepted(live.admin('/admin/markets/rain-pool/liquidity', body), 201)

const market = 'rain-pool'
const first = { market, outcomeIndex: 0 as const }

test('a wallet approves, buys and sells, and a repeat gives the first reply', async () => {
  const { amm } = client
  const buy = { ...first, collateralAmount: String(10 * UNIT), idempotencyKey: 'buy-1' }
  await assert.rejects(amm.buy(buy), UnprocessableEntityError)
  for (const side of ['BUY', 'SELL'] as const) {
    const approval = await amm.ensureAllowance({ market, side }, { intervalMs: 20 })
    assert.equal(approval.status, 'confirmed')
    assert.equal(approval.walletAddress, partner.account)
  }
  const bought = await amm.buy(buy)
  assert.deepEqual([bought.expectedShares, bought.minShares], ['19821776', '19623558'])
  assert.deepEqual(await amm.buy(buy), bought)
  await assert.rejects(amm.buy({ ...buy, collateralAmount: '1' }), ConflictError)
  await sold('sell-1', {})
  const [held] = await client.portfolio.getAMMPositions()
  assert.equal(held.outcomeTokenAmount, '9.855556')
  assert.equal(held.market.slug, market)
})

/** Sells for 5, again until a block holds the trade before. */
async function sold(idempotencyKey: string, more: { onBehalfOf?: number }): Promise<void> {
  const sell = { ...first, collateralReturnAmount: String(5 * UNIT), idempotencyKey, ...more }
  for (;;) {
    try {
      assert.equal((await client.amm.sell(sell)).status, 'SUBMITTED')
      return
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
  }
}

test('a partner trades for its server wallet', async () => {
  const { amm } = client
  const own = { onBehalfOf: desk.profileId }
  for (const side of ['BUY', 'SELL'] as const) {
    await amm.ensureAllowance({ market, side, ...own }, { intervalMs: 20 })
  }
  const buy = { ...first, collateralAmount: String(10 * UNIT), idempotencyKey: 'desk-1', ...own }
  assert.equal((await amm.buy(buy)).status, 'SUBMITTED')
  await sold('desk-2', own)
  assert.equal(live.exchange.pipeline.clearing.ledger.freeRaw(desk.profileId), 95 * UNIT)
})

test('what the client types is what the exchange refuses', async () => {
  const { amm } = client
  const wanted = { ...first, idempotencyKey: 'wrong' }
  const short = { ...wanted, collateralAmount: String(100_000 * UNIT) }
  await assert.rejects(amm.buy(short), UnprocessableEntityError)
  const unknown = { ...wanted, market: 'no-such-pool', collateralAmount: '1' }
  await assert.rejects(
    amm.buy(unknown),
    (error) => error instanceof APIError && error.status === 404,
  )
  const fake = { ...wanted, market: `0x${'aB'.repeat(20)}`, collateralAmount: '1' }
  await assert.rejects(amm.buy(fake), ValidationError)
})

test('a server wallet redeems what it won, and pays it out', async () => {
  await accepted(live.admin(`/admin/markets/${market}/resolve`, { winningOutcomeIndex: 0 }))
  const { catalogue, ledger } = live.exchange.pipeline.clearing
  const found = catalogue.bySlug(market)
  assert(found !== undefined)
  await until(() => found.isPaidOut)
  const before = ledger.freeRaw(desk.profileId)
  const conditionId = found.conditionId
  const onBehalfOf = desk.profileId
  const redeemed = await client.serverWallets.redeemPositions({ conditionId, onBehalfOf })
  assert.equal(redeemed.conditionId, conditionId)
  const shares = ledger.freeRaw(desk.profileId) - before
  assert.equal(shares, Number(at(redeemed, 'amount')))
  assert(shares > 0)
  const paid = await client.serverWallets.withdraw({ amount: '1000000', onBehalfOf })
  assert.equal(paid.amount, '1000000')
  assert.equal(ledger.freeRaw(desk.profileId), before + shares - UNIT)
})
