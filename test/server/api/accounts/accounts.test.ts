import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REJECT, Reject } from '../../../../engine/domain/reject-precedence.ts'
import { AccountChanges, PartnerAccounts } from '../../../../server/api/accounts/accounts.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { fill, openForTest } from '../../../support/open-pipeline.ts'
import { marketSpec } from '../../../support/specs.ts'

const START_MS = 1_800_000_000_000

async function open(clock: { nowMs: number }) {
  const exchange = await openForTest(newFolder(), clock)
  await fill(exchange, 1_000_000)
  const { pipeline, seal, intake } = exchange
  const accounts = new AccountChanges(pipeline, seal, intake)
  const partners = new PartnerAccounts(exchange, marketSpec(1).exchangeAddress)
  return { exchange, pipeline, accounts, partners }
}

test('the reply for a new sub-account has the state right after its own command', async () => {
  const { exchange, pipeline, accounts, partners } = await open({ nowMs: START_MS })
  const { clearing } = pipeline
  const partner = clearing.accounts.byId(1)
  assert.ok(partner !== undefined)
  const making = partners.createServerWallet(partner)
  const account = clearing.accounts.accountOf(2)
  assert.ok(account !== undefined)
  const editing = accounts.putProfile({ account, feeCapBps: 7 }, null)
  const made = await making
  await editing
  assert.equal(clearing.accounts.byId(2)?.feeCapBps, 7)
  await exchange.stop()
  assert.ok(!(made instanceof Reject))
  assert.equal(made.feeCapBps, null)
})

test('a proof that expires on its way opens no session, its nonce forgotten or not', async () => {
  const clock = { nowMs: START_MS }
  const { exchange, pipeline, accounts } = await open(clock)
  const address = pipeline.clearing.accounts.accountOf(1)
  assert.ok(address !== undefined)
  const proven = {
    account: new Uint8Array(20),
    address,
    nonce: '0xab',
    nonceExpiresMs: START_MS + 1000,
  }
  const first = await accounts.login(proven, {})
  clock.nowMs += 1000
  await pipeline.change(() => ({ kind: 'adjustBalance', profileId: 1, collateralRaw: 1 }))
  const isKnown = pipeline.clearing.accounts.isNonceBurned(proven.nonce)
  const second = await accounts.login(proven, {})
  await exchange.stop()
  assert.ok(!(first instanceof Reject))
  assert.equal(isKnown, false)
  assert.equal(second, REJECT.LOGIN_INVALID)
})
