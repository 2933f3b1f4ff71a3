import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { FEE_ACCOUNT } from '../../../../engine/domain/ids.ts'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import { referralCodeOf } from '../../../../server/api/referrals/referrals.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { cookieOf, login } from '../../../support/live-session.ts'
import { accepted } from '../../../support/replies.ts'
import { nextDay, nextSample } from '../../../support/reward-days.ts'

// Two accounts of one owner and a third that referred one of them trade among themselves (rules
// §3.2). The fee account is rich: others paid it.

const SHARE = 1_000_000
const FUNDS_RAW = 200_000 * SHARE
const SIZE_RAW = 100_000 * SHARE
const REBATE = { fee: true, rebateBps: 2500 }
const { live } = await exchange({
  stepwise: true,
  flags: ['--block-ms', '0', '--referral-bps', '2000'],
})

const clearing = () => live.exchange.pipeline.clearing

function step(byMs: number): void {
  live.shiftClock(byMs)
  live.exchange.pipeline.tick()
}

async function resolved(slug: string, payoutNumerators: readonly number[]): Promise<void> {
  await accepted(live.admin(`/admin/markets/${slug}/resolve`, { payoutNumerators }))
  const market = clearing().catalogue.bySlug(slug)
  while (market?.isPaidOut !== true) {
    step(100)
    await new Promise(setImmediate)
  }
}

async function redeemed(trader: Trader, conditionId: string | undefined): Promise<void> {
  const reply = await live.call(trader, 'POST', '/portfolio/redeem', { conditionId })
  assert.ok(reply.status === 201 || reply.status === 400, reply.text)
}

/** A trader whom `referrer` referred. */
async function referred(): Promise<Trader> {
  const key = randomBytes(32)
  const wallet = privateKeyToAccount(`0x${key.toString('hex')}`)
  cookieOf(await login(live, wallet, { body: { r: referralCodeOf(referrer.profileId) } }))
  const fields = { account: wallet.address, rank: 'Bronze', apiToken: { scopes: ['trading'] } }
  const made = await live.admin('/admin/profiles', fields)
  const profileId = Number(at(made.body, 'profileId'))
  await live.admin('/admin/balances', { profileId, collateralRaw: FUNDS_RAW })
  const [tokenId, secret] = [textAt(made.body, 'tokenId'), textAt(made.body, 'secret')]
  return { key, account: wallet.address, profileId, tokenId, secret }
}

/** Honest traders pay fees in collateral. */
async function fillFees(): Promise<void> {
  const market = await live.openMarket('honest', { fee: true })
  const [dan, pat] = [await live.trader(FUNDS_RAW), await live.trader(FUNDS_RAW)]
  await live.placed(dan, market, { sizeRaw: SIZE_RAW })
  await live.placed(pat, market, { outcome: 1, sizeRaw: SIZE_RAW })
  await live.placed(dan, market, { outcome: 1, sizeRaw: 97_000 * SHARE })
  await live.placed(pat, market, { side: 'sell', outcome: 1, sizeRaw: 97_000 * SHARE })
}

const sumRaw = () =>
  [maker, taker, referrer].reduce((sum, trader) => sum + live.balances(trader).freeRaw, 0)

// Noon: no day ends amid a test.
live.shiftClock(1.5 * DAY_MS - (live.nowMs() % DAY_MS))
const referrer = await live.trader(FUNDS_RAW)
const maker = await live.trader(FUNDS_RAW)
const taker = await referred()
// The rate counts for the blocks after the sample that publishes it.
await nextSample(live)
await fillFees()
assert.equal(clearing().ledger.freeRaw(FEE_ACCOUNT), 1455 * SHARE)

/** What the three gain by one trade of 100,000 YES between two of them, resolved so. */
async function gainedRaw(slug: string, payoutNumerators: readonly number[]): Promise<number> {
  const before = sumRaw()
  const market = await live.openMarket(slug, REBATE)
  const conditionId = clearing().catalogue.bySlug(slug)?.conditionId
  await live.placed(maker, market, { outcome: 1, sizeRaw: SIZE_RAW })
  await live.placed(taker, market, { outcome: 0, sizeRaw: SIZE_RAW })
  await nextSample(live)
  await resolved(slug, payoutNumerators)
  for (const trader of [maker, taker]) await redeemed(trader, conditionId)
  await nextDay(live)
  return sumRaw() - before
}

test('a fee of 3,000 worthless YES gives nobody anything: no gain of 675', async () => {
  assert.equal(await gainedRaw('worthless', [0, 1]), 0)
})

test('a fee of 3,000 YES that win gives back 750 and 600 of its 3,000', async () => {
  assert.equal(await gainedRaw('winning', [1, 0]), -1650 * SHARE)
})

test('a fee of 3,000 YES at a payout of a third gives back the thirds of its parts', async () => {
  // The taker's own 97,000 YES lose the fraction of a raw unit.
  assert.equal(await gainedRaw('divided', [1, 2]), -550 * SHARE - 1)
})
