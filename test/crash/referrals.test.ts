import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { brokenInvariant } from '../../engine/core/state/invariants.ts'
import { FEE_ACCOUNT } from '../../engine/domain/ids.ts'
import { DAY_MS } from '../../engine/domain/units.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { referralCodeOf } from '../../server/api/referrals/referrals.ts'
import { newFolder } from '../support/data-folder.ts'
import { exchange, startCopy, stopAndVerify } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import type { LiveExchange, Trader } from '../support/live-exchange.ts'
import type { OrderRequest } from '../support/live-orders.ts'
import { cookieOf, login } from '../support/live-session.ts'
import { accepted } from '../support/replies.ts'
import { credited, paid, sampled, step } from '../support/reward-days.ts'

// The power fails around what those earn who refer others. Each part of a fee is credited once,
// turned into collateral once and paid once, out of the fees.

const SHARE = 1_000_000
/** A fifth of a fee of 3 YES and of one of 2.454545 NO. */
const PARTS_RAW = [600_000, 490_909]
/** Both at a payout of a half each. */
const WORTH_RAW = 300_000 + 245_454
const OPTIONS = { stepwise: true, flags: ['--block-ms', '0', '--referral-bps', '2000'] }

const dataDir = newFolder()
const { live } = await exchange({ ...OPTIONS, dataDir })

const clearingOf = ({ exchange }: LiveExchange) => exchange.pipeline.clearing
const owedOf = (of: LiveExchange) => {
  const { today, due } = clearingOf(of).rewards
  return [today.of(ann.profileId)?.rebateRaw ?? 0, due.of(ann.profileId)?.rebateRaw ?? 0]
}

const partsOf = (of: LiveExchange) =>
  clearingOf(of)
    .rewards.shareParts.capture()
    .map(([, ...row]) => row)

const copyOf = () => startCopy(live, OPTIONS)

/** A wallet that ann referred, with money and a token. */
async function referred(): Promise<Trader> {
  const key = randomBytes(32)
  const wallet = privateKeyToAccount(`0x${key.toString('hex')}`)
  cookieOf(await login(live, wallet, { body: { r: referralCodeOf(ann.profileId) } }))
  const fields = { account: wallet.address, rank: 'Bronze', apiToken: { scopes: ['trading'] } }
  const made = await live.admin('/admin/profiles', fields)
  const profileId = Number(at(made.body, 'profileId'))
  await live.admin('/admin/balances', { profileId, collateralRaw: 1000 * SHARE })
  const [tokenId, secret] = [textAt(made.body, 'tokenId'), textAt(made.body, 'secret')]
  return { key, account: wallet.address, profileId, tokenId, secret }
}

const market = await live.openMarket('rain', { fee: true })
const ann = await live.trader(1000 * SHARE)
const ben = await live.trader(1000 * SHARE)
const eve = await referred()
const put = async (trader: Trader, wanted: OrderRequest) => {
  await live.placed(trader, market, wanted)
}
// The rate is set before the trades for which it counts.
await sampled(live)
await credited(live)
await put(ben, { outcome: 1, ticks: 550, sizeRaw: 100 * SHARE })
await put(eve, { ticks: 450, sizeRaw: 100 * SHARE })
await put(ben, { outcome: 0, ticks: 450, sizeRaw: 100 * SHARE })
await put(eve, { outcome: 1, ticks: 550, sizeRaw: 100 * SHARE })
step(live, 10)
await live.exchange.pipeline.durable()
after(async () => {
  assert.equal(brokenInvariant(clearingOf(live)), null)
  verifyFolder(dataDir)
})

test('a sample that was not credited is credited once, after a start too', async () => {
  await sampled(live)
  assert.notEqual(clearingOf(live).rewards.open, null)
  const died = await copyOf()
  await credited(died)
  await credited(live)
  for (const each of [died, live]) {
    assert.deepEqual(partsOf(each), [[ann.profileId, ...PARTS_RAW]])
    assert.deepEqual(owedOf(each), [0, 0], 'no part is worth anything before the payout')
  }
  const reported = await died.call(ann, 'GET', '/referral/usdc/referrals')
  assert.equal(at(reported.body, 'entries', 0, 'earnedRaw'), '0')
  await stopAndVerify(died)
})

test('a payout that was cut off gives the parts their worth once', async () => {
  const halves = { payoutNumerators: [1, 1] }
  await accepted(live.admin('/admin/markets/rain/resolve', halves))
  await live.exchange.pipeline.durable()
  const before = await copyOf()
  while (partsOf(live).length > 0) step(live, 100)
  await live.exchange.pipeline.durable()
  const after = await copyOf()
  while (partsOf(before).length > 0) step(before, 100)
  await before.exchange.pipeline.durable()
  for (const each of [live, before, after]) {
    assert.deepEqual(owedOf(each), [WORTH_RAW, 0])
  }
  for (const copy of [before, after]) {
    const reported = await copy.call(ann, 'GET', '/referral/usdc/referrals')
    assert.equal(at(reported.body, 'entries', 0, 'earnedRaw'), String(WORTH_RAW))
    const board = await copy.send('GET', '/referral/usdc/leaderboard')
    assert.equal(at(board.body, 'entries', 0, 'earnedRaw'), String(WORTH_RAW))
  }
  await stopAndVerify(after)
  await stopAndVerify(before)
  // The exchange redeems its own shares behind the payout.
  while (clearingOf(live).ledger.freeRaw(FEE_ACCOUNT) < WORTH_RAW) step(live, 100)
  await live.exchange.pipeline.durable()
})

test('a payment that was cut off is made once, out of the fees', async () => {
  const [earnedRaw] = owedOf(live)
  live.shiftClock(DAY_MS - (live.nowMs() % DAY_MS))
  while (clearingOf(live).rewards.due.size === 0) step(live, 10)
  await live.exchange.pipeline.durable()
  const died = await copyOf()
  const before = died.balances(ann).freeRaw
  await paid(died)
  await paid(live)
  for (const each of [died, live]) {
    assert.equal(each.balances(ann).freeRaw, before + earnedRaw)
    assert.deepEqual(owedOf(each), [0, 0])
    assert.ok(clearingOf(each).ledger.freeRaw(FEE_ACCOUNT) >= 0)
  }
  const again = await copyOf()
  step(again, 1000)
  assert.equal(again.balances(ann).freeRaw, before + earnedRaw)
  await stopAndVerify(again)
  await stopAndVerify(died)
})
