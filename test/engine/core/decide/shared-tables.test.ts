import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import type { Clearing } from '../../../../engine/core/clearing.ts'
import { decideMint, decideWithdrawalAddress } from '../../../../engine/core/decide/accounts.ts'
import { decideCall } from '../../../../engine/core/decide/money/moves.ts'
import { pricePack } from '../../../../engine/core/decide/money/pack-price.ts'
import { decideOffer } from '../../../../engine/core/decide/money/packs.ts'
import { decideApproval, decideFund } from '../../../../engine/core/decide/money/pools.ts'
import { decideSubAccount } from '../../../../engine/core/decide/partners.ts'
import { decideBookmark, decideFollow } from '../../../../engine/core/decide/social.ts'
import {
  type OwnerCounts,
  type SharedTable,
  shareOf,
} from '../../../../engine/domain/fair-share.ts'
import type { CallOnce } from '../../../../engine/domain/moves/move-command.ts'
import { MOVE_LIMITS } from '../../../../engine/domain/moves/move-limits.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { SHARED_TABLES, SUB_ACCOUNT_SHARE } from '../../../../engine/domain/shared-tables.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { restedLeg } from '../../../support/pack-quote.ts'
import { marketSpec, profileFields } from '../../../support/specs.ts'

// As many owners as filled a shared table when each might have its most of it take all that they
// may have. Then a profile with nothing of the table still gets rows.

const UNIT = 1_000_000
const ONCE: CallOnce = { by: 'keyed', digest: 'key', bodyDigest: '', untilMs: 9 ** 20 }
const TOKEN = { sealedSecret: new Uint8Array(0), label: null, scopes: [] }

interface Table {
  /** The gate of one more row. */
  readonly gate: (owner: number) => unknown
  /** Adds the row. */
  readonly take: (owner: number) => void
}

/** Rows that the owner got until the gate refused it, at most `wanted`. */
function takeAll({ gate, take }: Table, owner: number, wanted: number): number {
  for (let taken = 0; taken < wanted; taken++) {
    if (gate(owner) instanceof Reject) return taken
    take(owner)
  }
  return wanted
}

function attack(table: Table, owners: readonly number[], wantedEach: number): void {
  for (const owner of owners) takeAll(table, owner, wantedEach)
}

function from(first: number, count: number): number[] {
  return Array.from({ length: count }, (_each, index) => first + index)
}

function calls(driver: ExchangeDriver): Table {
  const { clearing } = driver
  let made = 0
  const next = (): CallOnce => {
    const untilMs = driver.nowMs + MOVE_LIMITS.idempotencyKeyMs
    return { by: 'keyed', digest: `key ${made}`, bodyDigest: '', untilMs }
  }
  return {
    gate: (profileId) => decideCall(clearing, { profileId, once: next() }),
    take: (profileId) => {
      clearing.calls.made({ ...next(), profileId, seq: 1 })
      made++
    },
  }
}

test('64 profiles with 4,096 keyed calls leave a newcomer its keyed calls', () => {
  const table = calls(new ExchangeDriver(16))
  attack(table, from(2, 64), 4096)
  assert.equal(takeAll(table, 1, 500), 500)
})

/** A driver with two markets, and a table of offers that its accounts make through the gates. */
function offers(makers: number): { readonly table: Table; readonly driver: ExchangeDriver } {
  const driver = new ExchangeDriver(16)
  const { clearing } = driver
  for (let made = 0; made < makers; made++) driver.addAccount(1000 * UNIT)
  const asks = [{ ticks: 500, sizeRaw: 10 ** 12 }]
  const legs = [driver.addMarket(), driver.addMarket()].map((marketId) => {
    return restedLeg(marketId, 0, asks)
  })
  const terms = { stakeMaxRaw: UNIT, payoutRaw: 2 * UNIT }
  const request = {
    legs,
    stakeRaw: UNIT,
    offeredRaw: terms.payoutRaw,
    ownerId: null,
    isPaid: false,
    closeMs: 0,
  }
  const priced = pricePack(clearing, request, driver.nowMs)
  const decided = (profileId: number) =>
    decideOffer(clearing, { profileId, ...terms }, priced, driver.nowMs)
  const take = (profileId: number) => {
    const offer = decided(profileId)
    if (!(offer instanceof Reject)) driver.control(offer)
  }
  return { driver, table: { gate: decided, take } }
}

test('205 makers of twenty offers leave a newcomer its offers', () => {
  const { table, driver } = offers(206)
  attack(table, from(2, 205), PACK_LIMITS.offersOfMakerMax)
  assert.ok(driver.clearing.packs.offerCount < PACK_LIMITS.offersMax)
  assert.ok(takeAll(table, 1, 5) === 5)
})

test('64 profiles with approvals of 2,048 pools leave a newcomer its approvals', () => {
  const driver = new ExchangeDriver(16)
  const { clearing } = driver
  const lea = driver.addAccount(2 * UNIT)
  const marketId = 1
  const kind = { kind: 'amm' as const, poolAddress: `0x${'a'.repeat(40)}` }
  driver.control({
    kind: 'createMarket',
    marketId,
    book: 0,
    market: { ...marketSpec(marketId), ...kind },
  })
  const known = clearing.catalogue.existing(marketId)
  const funding = { profileId: lea, collateralRaw: UNIT, hints: [1, 1] as const }
  const funded = decideFund(clearing, known, funding)
  assert.ok(!(funded instanceof Reject))
  driver.control(funded)
  const pools = from(2, 2048)
  for (const pool of pools) clearing.pools.funded(pool, lea, UNIT)
  const rows = pools.flatMap((pool) => [[pool, 'BUY'] as const, [pool, 'SELL'] as const])
  const taken = new Map<number, number>()
  const table: Table = {
    gate: (profileId) => decideApproval(clearing, known, { profileId, side: 'BUY' }, driver.nowMs),
    take: (profileId) => {
      const at = taken.get(profileId) ?? 0
      const [pool, side] = rows[at]
      taken.set(profileId, at + 1)
      clearing.pools.approved(pool, profileId, side, 1)
    },
  }
  attack(table, from(100, 64), rows.length)
  assert.equal(takeAll(table, 99, 20), 20)
})

test('420 profiles that follow ten thousand leave a newcomer its follows', () => {
  const driver = new ExchangeDriver(16)
  const { clearing } = driver
  const known = driver.addAccount(0)
  const { owners } = clearing.social.follows
  // Counted a hundred at a time: four million real rows take half a minute.
  for (const attacker of from(100, 420)) {
    while (!(decideFollow(clearing, attacker, known) instanceof Reject)) owners.add(attacker, 100)
  }
  const table: Table = {
    gate: (profileId) => decideFollow(clearing, profileId, known),
    take: (profileId) => owners.add(profileId, 1),
  }
  assert.equal(takeAll(table, 99, 100), 100)
})

interface Gated {
  readonly rule: SharedTable
  readonly owners: OwnerCounts
  readonly gate: (profileId: number) => Reject | null
}

const PARTNER = 1
const SUB_ACCOUNTS = [2, 3]
const NEWCOMER = 99

/** An exchange with a partner of two sub-accounts. */
function withPartner(): ExchangeDriver {
  const driver = new ExchangeDriver(16)
  driver.addAccount(0)
  for (const profileId of SUB_ACCOUNTS) {
    const profile = profileFields(profileId)
    const made = { profileId, profile, partnerId: PARTNER, sealedKey: null, approved: [] }
    driver.control({ kind: 'createSubAccount', ...made, proof: null })
  }
  return driver
}

/** The tables whose rows this file counts without making them, each with its gate. */
const GATED: Readonly<Record<string, (clearing: Clearing) => Gated>> = {
  tokens: (clearing) => ({
    rule: SHARED_TABLES.tokens,
    owners: clearing.accounts.tokenOwners,
    gate: (profileId) => decideMint(clearing, profileId),
  }),
  withdrawalAddresses: (clearing) => ({
    rule: SHARED_TABLES.withdrawalAddresses,
    owners: clearing.accounts.withdrawalAddresses.owners,
    gate: (profileId) => decideWithdrawalAddress(clearing, profileId, `0x${'ab'.repeat(20)}`),
  }),
  calls: (clearing) => ({
    rule: SHARED_TABLES.calls,
    owners: clearing.calls.owners,
    gate: (profileId) => decideCall(clearing, { profileId, once: ONCE }),
  }),
  follows: (clearing) => ({
    rule: SHARED_TABLES.follows,
    owners: clearing.social.follows.owners,
    gate: (profileId) => decideFollow(clearing, profileId, PARTNER),
  }),
  bookmarks: (clearing) => ({
    rule: SHARED_TABLES.bookmarks,
    owners: clearing.social.bookmarks.owners,
    gate: (profileId) => decideBookmark(clearing, profileId),
  }),
}

for (const [name, gatedOf] of Object.entries(GATED)) {
  test(`as many owners as filled the table of ${name} leave a newcomer a row`, () => {
    const { rule, owners, gate } = gatedOf(withPartner().clearing)
    for (const attacker of from(100, Math.ceil(rule.capacity / rule.owner.most))) {
      owners.add(attacker, shareOf(rule.owner, owners.all))
      assert.notEqual(gate(attacker), null, 'it has all that it may have')
    }
    assert.ok(owners.all < rule.capacity * 0.95)
    assert.equal(gate(NEWCOMER), null)
  })

  test(`a partner and its sub-accounts are one owner of the table of ${name}`, () => {
    const { rule, owners, gate } = gatedOf(withPartner().clearing)
    const [first, second] = SUB_ACCOUNTS
    const some = Math.ceil(rule.capacity / 1000)
    while (gate(second) === null) owners.add(first, some)
    assert.ok(owners.all >= rule.capacity / 10, 'a partner may hold a tenth')
    assert.ok(owners.all <= rule.partner.most + some)
    assert.equal(gate(NEWCOMER), null)
    owners.add(first, -some)
    assert.equal(gate(second), null)
  })
}

test('a snapshot counts the rows of sub-accounts for their partner', () => {
  const driver = withPartner()
  const [first, second] = SUB_ACCOUNTS
  const { clearing } = driver
  clearing.accounts.addToken(first, { ...TOKEN, tokenId: 'one' }, 1)
  clearing.calls.made({ ...ONCE, profileId: second, seq: 1 })
  driver.control({ kind: 'followProfile', profileId: first, followedId: PARTNER })
  const again = restore(capture(driver.exchange)).clearing
  const counted = (state: Clearing) => {
    return Object.values(GATED).map((gatedOf) => gatedOf(state).owners.ofPartner(PARTNER))
  }
  assert.deepEqual(counted(again), counted(clearing))
  assert.deepEqual(counted(again), [2, 0, 1, 1, 0])
})

test('partners that make all the sub-accounts they may leave another partner its own', () => {
  const { clearing } = withPartner()
  const { capacity, most } = SUB_ACCOUNT_SHARE
  let profiles = 0
  for (let partners = 0; partners < Math.ceil(capacity / most); partners++) {
    profiles += shareOf(SUB_ACCOUNT_SHARE, profiles)
  }
  assert.ok(profiles < capacity / 2, `64 partners have ${profiles}`)
  assert.ok(shareOf(SUB_ACCOUNT_SHARE, profiles) >= 1024)
  assert.equal(decideSubAccount(clearing, PARTNER, `0x${'cd'.repeat(20)}`), null)
})
