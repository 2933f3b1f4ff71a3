import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getAddress, zeroHash } from 'viem'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { DAY_MS } from '../../../engine/domain/units.ts'
import { readConfig } from '../../../server/config.ts'
import { anvilSkip } from '../../support/anvil.ts'
import { assertSame } from '../../support/anvil-funds.ts'
import { Reported } from '../../support/chain-desk.ts'
import { fundTraders } from '../../support/chain-trades.ts'
import { EvmStage } from '../../support/evm-stage.ts'
import { exchange } from '../../support/exchange.ts'
import { at, textAt } from '../../support/json-path.ts'
import { assertRefused } from '../../support/replies.ts'
import { until } from '../../support/until.ts'

// What the exchange pays by itself is in its ledger alone, so it pays nothing where wallets hold
// the funds.

const FUNDS_RAW = 1_000_000_000
const SHARES_RAW = 10_000_000
const skip = anvilSkip
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

test('shares of a paid market stay in the ledger until their wallet redeems', {
  skip,
}, async () => {
  const flags = [...(await stage.servedBy()), '--auto-redeem-days', '1']
  const { live, ann, ben, rain } = await exchange({
    flags,
    traders: ['ann', 'ben'],
    markets: ['rain'],
  })
  await fundTraders(stage, live, [ann, ben], FUNDS_RAW)
  const reported = new Reported(live)
  const { body } = await live.trade(ann, ben, rain, { ticks: 600, sizeRaw: SHARES_RAW })
  await reported.of(textAt(body, 'execution', 'tradeEventId'), 'MINED')
  await live.resolve('rain')
  await live.pass(LIMITS.payoutEveryMs)
  await live.pass(2 * DAY_MS)
  // A sweep of all positions takes a few of these.
  for (let count = 0; count < 20; count++) await live.pass(MOVE_LIMITS.sweepEveryMs)
  const { clearing } = live.exchange.pipeline
  const market = clearing.catalogue.bySlug('rain')
  assert.ok(market !== undefined)
  await assertSame(stage, clearing)
  const { collateral, tokens } = stage.at
  const { conditionId } = market
  await until(async () => (await stage.read(tokens, 'payoutDenominator', [conditionId])) !== 0n)
  const args = [collateral, zeroHash, conditionId, [1n, 2n]]
  await stage.send(tokens, 'redeemPositions', args, getAddress(ben.account))
  await until(() => live.balances(ben).freeRaw > FUNDS_RAW)
  await assertSame(stage, clearing)
})

test('rebates and parts for referrers are refused', { skip }, async () => {
  const flags = await stage.servedBy()
  const { live } = await exchange({ flags, markets: ['plain'] })
  const rebateBps = 100
  const message = 'cannot be paid on an EVM chain yet; leave the field out'
  const body = { kind: 'clob', slug: 'back', title: 'Back?', fee: true, rebateBps }
  for (const reply of [
    await live.admin('/admin/markets', body),
    await live.operator('PATCH', '/admin/markets/plain', { rebateBps }),
  ]) {
    assertRefused(reply, 400, 'VALIDATION')
    assert.deepEqual(at(reply.body, 'message'), [{ field: 'rebateBps', message }])
  }
  const reading = readConfig([...flags, '--referral-bps', '1'], {}, () => '')
  assert.deepEqual(reading, {
    ok: false,
    sentence: '--referral-bps cannot be paid on an EVM chain yet; leave it out',
  })
})
