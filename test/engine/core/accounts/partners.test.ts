import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Partners } from '../../../../engine/core/accounts/partners.ts'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { decideDelegation, decideSubAccount } from '../../../../engine/core/decide/partners.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { rejectName } from '../../../support/reject-name.ts'
import { profileFields } from '../../../support/specs.ts'

// Sub-accounts in the core (rules §12.1): their partners, their approvals, their part of the state.

const SEALED = new Uint8Array([1, 2, 3])
const EXCHANGE = '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5'
const ADAPTER = `0x${'ab'.repeat(20)}`

function makeSubAccount(
  driver: ExchangeDriver,
  partnerId: number,
  fields: { sealedKey?: Uint8Array; nonce?: string } = {},
): number {
  const { sealedKey = null, nonce } = fields
  const profileId = driver.clearing.accounts.count + 1
  driver.control({
    kind: 'createSubAccount',
    profileId,
    profile: profileFields(profileId),
    partnerId,
    sealedKey,
    approved: sealedKey === null ? [] : [EXCHANGE],
    proof: nonce === undefined ? null : { nonce, nonceExpiresMs: driver.nowMs + 1000 },
  })
  return profileId
}

test('a sub-account needs an address without a profile, and not that of its partner', () => {
  const driver = new ExchangeDriver(16)
  const partner = driver.addAccount(0)
  const trader = driver.addAccount(0)
  const decide = (account: string) =>
    rejectName(
      decideSubAccount(driver.clearing, partner, account.toUpperCase().replace('0X', '0x')),
    )
  assert.equal(decide(profileFields(partner).account), 'OWN_ADDRESS')
  assert.equal(decide(profileFields(trader).account), 'ACCOUNT_TAKEN')
  assert.equal(decide(profileFields(99).account), 'NONE')
  const { partners } = driver.clearing.accounts
  for (let made = 0; made < LIMITS.subAccountsPerPartnerMax; made++) {
    const profileId = 1000 + made
    partners.add({ profileId, partnerId: partner, sealedKey: null, approved: [] })
  }
  assert.equal(decide(profileFields(99).account), 'SUB_ACCOUNT_LIMIT')
})

test('a partner acts for its own sub-accounts and nobody acts for it', () => {
  const driver = new ExchangeDriver(16)
  const partner = driver.addAccount(0)
  const other = driver.addAccount(0)
  const desk = makeSubAccount(driver, partner, { sealedKey: SEALED })
  const decide = (caller: number, target: number) =>
    rejectName(decideDelegation(driver.clearing, caller, target))
  assert.equal(decide(partner, desk), 'NONE')
  for (const [caller, target] of [
    [other, desk],
    [desk, desk],
    [desk, partner],
    [partner, partner],
    [partner, other],
    [partner, 999],
  ]) {
    assert.equal(decide(caller, target), 'NOT_SUB_ACCOUNT')
  }
  const second = makeSubAccount(driver, partner)
  assert.deepEqual(driver.clearing.accounts.partners.ofPartner(partner), [desk, second])
  assert.deepEqual(driver.clearing.accounts.partners.ofPartner(other), [])
})

test('the nonce that proved a wallet stays burned until it expires', () => {
  const driver = new ExchangeDriver(16)
  const partner = driver.addAccount(0)
  makeSubAccount(driver, partner, { nonce: 'once' })
  assert.ok(driver.clearing.accounts.isNonceBurned('once'))
  driver.nowMs += 1000
  makeSubAccount(driver, partner, { nonce: 'later' })
  assert.ok(!driver.clearing.accounts.isNonceBurned('once'))
  assert.ok(driver.clearing.accounts.isNonceBurned('later'))
})

test('a server wallet approves a spender once, and no other account approves', () => {
  const driver = new ExchangeDriver(16)
  const partner = driver.addAccount(0)
  const desk = makeSubAccount(driver, partner, { sealedKey: SEALED })
  const own = makeSubAccount(driver, partner)
  const approve = (profileId: number) =>
    driver.control({ kind: 'approveSpenders', profileId, spenders: [EXCHANGE, ADAPTER] })
  approve(desk)
  approve(desk)
  const { partners } = driver.clearing.accounts
  assert.deepEqual(partners.byId(desk)?.approved, [EXCHANGE, ADAPTER])
  assert.throws(() => approve(own), /a server wallet approves/)
})

test('a submitted approval waits for a block, and is not submitted twice meanwhile', () => {
  const driver = new ExchangeDriver(16)
  const desk = makeSubAccount(driver, driver.addAccount(0), { sealedKey: SEALED })
  const { partners } = driver.clearing.accounts
  const submit = (...spenders: string[]) =>
    driver.control({ kind: 'submitApprovals', profileId: desk, spenders })
  submit(ADAPTER)
  const { lastSeq } = driver.clearing
  assert.deepEqual(partners.submittedBy(lastSeq - 1), [])
  assert.deepEqual(partners.submittedBy(lastSeq), [desk])
  assert.throws(() => submit(ADAPTER), /an approval is submitted once/)
  const waiting = restore(capture(driver.exchange))
  assert.equal(waiting.stateHash(), driver.exchange.stateHash())
  assert.deepEqual(waiting.clearing.accounts.partners.submittedBy(lastSeq), [desk])
})

test('a failed approval counts only once a later try is confirmed', () => {
  const driver = new ExchangeDriver(16)
  const desk = makeSubAccount(driver, driver.addAccount(0), { sealedKey: SEALED })
  const shown = () => {
    const made = driver.clearing.accounts.partners.byId(desk)
    return [made?.approved, made?.submitted, made?.failed]
  }
  const submitted = { kind: 'submitApprovals', profileId: desk, spenders: [ADAPTER] } as const
  const settled = { kind: 'settleApprovals', profileId: desk, height: 0 } as const
  driver.control(submitted)
  driver.control({ ...settled, isConfirmed: false })
  assert.deepEqual(shown(), [[EXCHANGE], [], [ADAPTER]])
  driver.control(submitted)
  assert.deepEqual(shown(), [[EXCHANGE], [ADAPTER], []])
  driver.control({ ...settled, isConfirmed: true })
  assert.deepEqual(shown(), [[EXCHANGE, ADAPTER], [], []])
  assert.throws(() => driver.control({ ...settled, isConfirmed: true }), /only submitted approvals/)
})

test('the rows of a sub-account count for the first partner above it', () => {
  const driver = new ExchangeDriver(16)
  const partner = driver.addAccount(0)
  const desk = makeSubAccount(driver, partner)
  const trader = makeSubAccount(driver, desk)
  const { shareOwnerOf } = driver.clearing.accounts.partners
  assert.deepEqual([trader, desk, partner, 99].map(shareOwnerOf), [partner, partner, partner, 99])
})

test('the state hash and a snapshot hold partners; the hash ignores how a key is sealed', () => {
  const hashOf = (sealedKey: Uint8Array, approves: boolean) => {
    const driver = new ExchangeDriver(16)
    const partner = driver.addAccount(0)
    const desk = makeSubAccount(driver, partner, { sealedKey })
    const spenders = approves ? [ADAPTER] : []
    driver.control({ kind: 'approveSpenders', profileId: desk, spenders })
    const hash = driver.exchange.stateHash()
    const again = restore(capture(driver.exchange))
    assert.equal(again.stateHash(), hash)
    assert.deepEqual(again.clearing.accounts.partners.byId(desk)?.sealedKey, sealedKey)
    return hash
  }
  const hash = hashOf(SEALED, true)
  assert.equal(hashOf(new Uint8Array([9, 9]), true), hash)
  assert.notEqual(hashOf(SEALED, false), hash)
  const eventsWith = (sealedKey: Uint8Array | null) => {
    const partners = new Partners()
    partners.add({ profileId: 2, partnerId: 1, sealedKey, approved: [] })
    return [...partners.hashedFields()]
  }
  assert.notDeepEqual(eventsWith(null), eventsWith(SEALED))
})
