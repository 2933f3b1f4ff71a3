import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { SharedCounts } from '../../../../engine/core/cells/shared-counts.ts'
import type { Clearing } from '../../../../engine/core/clearing.ts'
import { decideDelegation, decideLeave } from '../../../../engine/core/decide/partners.ts'
import { brokenInvariant } from '../../../../engine/core/state/invariants.ts'
import { OwnerCounts } from '../../../../engine/domain/fair-share.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { rejectName } from '../../../support/reject-name.ts'
import { profileFields } from '../../../support/specs.ts'

// A sub-account that leaves its partner (rules §12.1): who acts for it then, and for whom its rows
// of the shared tables count.

const SEALED = new Uint8Array([1, 2, 3])
const PARTNER = 1
/** Leaves. It is the partner of `BELOW`, which is the partner of `LOWEST`. */
const DESK = 2
const BELOW = 3
const LOWEST = 4
const SIBLING = 5
const WALLET = 6
const ALL = [PARTNER, DESK, BELOW, LOWEST, SIBLING, WALLET]

function addSubAccount(
  driver: ExchangeDriver,
  partnerId: number,
  sealedKey: Uint8Array | null = null,
): void {
  const profileId = driver.clearing.accounts.count + 1
  driver.control({
    kind: 'createSubAccount',
    profileId,
    profile: profileFields(profileId),
    partnerId,
    sealedKey,
    approved: [],
    proof: null,
  })
  driver.control({ kind: 'adjustBalance', profileId, collateralRaw: 1_000_000_000 })
}

/** A partner whose sub-accounts have rows in every shared table. */
function company(): ExchangeDriver {
  const driver = new ExchangeDriver(64)
  driver.addAccount(1_000_000_000)
  for (const partnerId of [PARTNER, DESK, BELOW, PARTNER]) addSubAccount(driver, partnerId)
  addSubAccount(driver, PARTNER, SEALED)
  const marketId = driver.addMarket()
  const { clearing } = driver
  for (const profileId of ALL) {
    const isNew = profileId !== PARTNER
    if (isNew) {
      const token = { tokenId: `token-${profileId}`, scopes: [], sealedSecret: SEALED, label: null }
      driver.control({ kind: 'createToken', profileId, token })
    }
    const placed = driver.place({
      account: profileId,
      marketId,
      side: SIDE.BUY,
      outcome: OUTCOME.YES,
      type: 'GTC',
      priceTicks: 100,
      sizeRaw: profileId * 1_000_000,
    })
    assert.equal(placed.result, 'RESTED')
    driver.control({ kind: 'followProfile', profileId, followedId: (profileId % 6) + 1 })
    clearing.rewards.shareParts.add(marketId, profileId, OUTCOME.YES, 1000)
    const digest = `call of ${profileId}`
    clearing.calls.made({
      by: 'keyed' as const,
      digest,
      bodyDigest: '',
      untilMs: 2 ** 50,
      profileId,
      seq: 1,
    })
  }
  return driver
}

const DEPTH_MAX = 3

/** The counts of every shared table, found in the state: no list of tables can miss a new one. */
function tablesIn(state: object, depth = DEPTH_MAX): [string, OwnerCounts | SharedCounts][] {
  return Object.entries(state).flatMap(([name, value]): [string, OwnerCounts | SharedCounts][] => {
    if (value instanceof OwnerCounts || value instanceof SharedCounts) return [[name, value]]
    if (depth === 0 || typeof value !== 'object' || value === null) return []
    return tablesIn(value, depth - 1).map(([inner, counts]) => [`${name}.${inner}`, counts])
  })
}

/** What gates count for each account and its partner, in every shared table. */
function countsOf(clearing: Clearing) {
  const tables = tablesIn(clearing)
  assert.ok(tables.length >= 12, 'the shared tables are found')
  return tables.map(([name, counts]) => [name, ALL.map((account) => counts.ofPartner(account))])
}

test('only a sub-account that signs for itself leaves its partner', () => {
  const { clearing } = company()
  const decide = (profileId: number) => rejectName(decideLeave(clearing, profileId))
  assert.equal(decide(DESK), 'NONE')
  assert.equal(decide(LOWEST), 'NONE')
  assert.equal(decide(PARTNER), 'NO_PARTNER')
  assert.equal(decide(999), 'NO_PARTNER')
  assert.equal(decide(WALLET), 'PARTNER_REQUIRED')
})

test('a partner acts no longer for a sub-account that left, whose own sub-accounts stay', () => {
  const driver = company()
  const { clearing } = driver
  const before = driver.exchange.stateHash()
  driver.control({ kind: 'leavePartner', profileId: DESK })
  assert.notEqual(driver.exchange.stateHash(), before)
  const decide = (caller: number, target: number) =>
    rejectName(decideDelegation(clearing, caller, target))
  assert.equal(decide(PARTNER, DESK), 'NOT_SUB_ACCOUNT')
  assert.equal(decide(PARTNER, SIBLING), 'NONE')
  assert.equal(decide(DESK, BELOW), 'NONE')
  assert.deepEqual(clearing.accounts.partners.ofPartner(PARTNER), [SIBLING, WALLET])
  assert.equal(rejectName(decideLeave(clearing, DESK)), 'NO_PARTNER')
})

test('what a sub-account has counts for it alone once it left, as a snapshot counts it', () => {
  const driver = company()
  const { clearing } = driver
  const count = (account: number) => clearing.orders.live.ofPartner(account)
  assert.deepEqual(ALL.map(count), [6, 6, 6, 6, 6, 6])
  driver.control({ kind: 'leavePartner', profileId: DESK })
  assert.deepEqual(ALL.map(count), [3, 3, 3, 3, 3, 3])
  assert.equal(clearing.openSizes.ofSubAccounts(PARTNER, 1), (SIBLING + WALLET) * 1_000_000)
  assert.equal(clearing.openSizes.ofSubAccounts(DESK, 1), (BELOW + LOWEST) * 1_000_000)
  assert.equal(brokenInvariant(clearing), null)
  const again = restore(capture(driver.exchange))
  assert.deepEqual(countsOf(again.clearing), countsOf(clearing))
  assert.equal(again.stateHash(), driver.exchange.stateHash())
  driver.control({ kind: 'leavePartner', profileId: LOWEST })
  assert.deepEqual(ALL.map(count), [3, 2, 2, 1, 3, 3])
  const last = restore(capture(driver.exchange)).clearing
  assert.deepEqual(countsOf(last), countsOf(clearing))
  assert.equal(brokenInvariant(clearing), null)
})

test('parts of fees that wait are paid out after their owners have left', () => {
  const driver = company()
  driver.control({ kind: 'leavePartner', profileId: DESK })
  const { shareParts } = driver.clearing.rewards
  assert.equal(shareParts.take(1).length, ALL.length)
  assert.equal(shareParts.size, 0)
})
