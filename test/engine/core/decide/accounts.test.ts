import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAdjust, decideRevoke, decideToken } from '../../../../engine/core/decide/accounts.ts'
import { decideMarkets, decideResolve } from '../../../../engine/core/decide/markets.ts'
import { decideProfile } from '../../../../engine/core/decide/profiles.ts'
import type { Scope } from '../../../../engine/domain/command.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { rejectName } from '../../../support/reject-name.ts'
import { marketSpec, profileFields } from '../../../support/specs.ts'

test('a token is revoked once, by its own profile', () => {
  const driver = new ExchangeDriver(16)
  const [alice, bob] = [driver.addAccount(0), driver.addAccount(0)]
  const decide = (profileId: number, tokenId: string) =>
    rejectName(decideRevoke(driver.clearing, profileId, tokenId))
  assert.equal(decide(bob, `token-${alice}`), 'TOKEN_UNKNOWN')
  assert.equal(decide(alice, 'token-9'), 'TOKEN_UNKNOWN')
  assert.equal(decide(alice, `token-${alice}`), 'NONE')
  driver.control({ kind: 'revokeToken', tokenId: `token-${alice}` })
  assert.equal(decide(alice, `token-${alice}`), 'TOKEN_UNKNOWN')
})

test('a token has scopes of its profile only, and delegated signing needs trading', () => {
  const driver = new ExchangeDriver(16)
  const trader = driver.addAccount(0, { scopes: ['trading'] })
  const partner = driver.addAccount(0, { scopes: ['trading', 'delegated_signing'] })
  const decide = (profileId: number, scopes: readonly Scope[]) => {
    const profile = driver.clearing.accounts.byId(profileId)
    assert(profile !== undefined)
    return rejectName(decideToken(driver.clearing, profile, scopes))
  }
  assert.equal(decide(trader, ['trading']), 'NONE')
  assert.equal(decide(trader, ['withdrawal']), 'SCOPE_NOT_ALLOWED')
  assert.equal(decide(trader, ['trading', 'delegated_signing']), 'SCOPE_NOT_ALLOWED')
  assert.equal(decide(partner, ['trading', 'delegated_signing']), 'NONE')
  assert.equal(decide(partner, ['delegated_signing']), 'SCOPE_NEEDS_TRADING')
  for (let each = 1; each < LIMITS.tokensPerProfileMax; each++) {
    assert.equal(decide(trader, ['trading']), 'NONE')
    const sealedSecret = new Uint8Array(4)
    const token = { tokenId: `more-${each}`, sealedSecret, label: null, scopes: [] }
    driver.control({ kind: 'createToken', profileId: trader, token })
  }
  assert.equal(decide(trader, ['trading']), 'TOKEN_LIMIT')
})

test('a debit takes free collateral to the last raw unit, never reserved collateral', () => {
  const driver = new ExchangeDriver(16)
  const marketId = driver.addMarket()
  const account = driver.addAccount(1_000_000)
  const wanted = { account, marketId, side: SIDE.BUY, outcome: OUTCOME.YES }
  driver.place({ ...wanted, type: 'GTC', priceTicks: 400, sizeRaw: 1_000_000 })
  const decide = (raw: number) => rejectName(decideAdjust(driver.clearing, account, raw))
  assert.equal(decide(-600_000), 'NONE')
  assert.equal(decide(-600_001), 'INSUFFICIENT_COLLATERAL')
  assert.equal(decide(LIMITS.fundedRawMax - 1_000_000), 'NONE')
  assert.equal(decide(LIMITS.fundedRawMax - 999_999), 'BALANCE_LIMIT')
  assert.equal(rejectName(decideAdjust(driver.clearing, 9, 1)), 'PROFILE_NOT_FOUND')
})

test('a payout has two whole parts, not both 0, and is given once', () => {
  const driver = new ExchangeDriver(16)
  const marketId = driver.addMarket()
  const market = driver.clearing.catalogue.existing(marketId)
  const decide = (parts: readonly number[]) => rejectName(decideResolve(market, parts))
  for (const parts of [
    [1, 0],
    [0, 1],
    [3, 7],
  ])
    assert.equal(decide(parts), 'NONE')
  const wrong = [[0, 0], [1], [1, 1, 1], [-1, 2], [0.5, 0.5], [Number.MAX_SAFE_INTEGER, 1]]
  for (const parts of wrong) assert.equal(decide(parts), 'PAYOUT_INVALID', String(parts))
  driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators: [1, 0] }] })
  assert.equal(decide([1, 0]), 'MARKET_RESOLVED')
})

test('a slug or a username has one holder, in any letter case, until it is given up', () => {
  const driver = new ExchangeDriver(16)
  driver.addMarket({ slug: 'rain' })
  assert.equal(
    rejectName(decideMarkets(driver.clearing, [marketSpec(2, { slug: 'rain' })])),
    'SLUG_TAKEN',
  )
  assert.equal(decideMarkets(driver.clearing, [marketSpec(2, { slug: 'snow' })]), null)
  const account = driver.addAccount(0, { username: 'Alice' })
  const other = driver.addAccount(0, { username: null })
  const { accounts } = driver.clearing
  const decide = (username: string, profileId?: number) => {
    const before = profileId === undefined ? undefined : accounts.byId(profileId)
    const fields = profileFields(profileId ?? 9, { username })
    return rejectName(decideProfile(driver.clearing, fields, before))
  }
  assert.equal(decide('aLICE'), 'USERNAME_TAKEN')
  assert.equal(decide('alice', other), 'USERNAME_TAKEN')
  assert.equal(decide('ALICE', account), 'NONE')
  const profile = profileFields(account, { username: 'Bob' })
  driver.control({ kind: 'editProfile', profileId: account, profile, token: null })
  assert.equal(decide('alice', other), 'NONE')
  assert.equal(decide('bob', other), 'USERNAME_TAKEN')
})

test('markets name a bounded number of venue addresses; a known one is always accepted', () => {
  const driver = new ExchangeDriver(16)
  const addressOf = (each: number) => `0x${each.toString(16).padStart(40, '0')}`
  const spec = (marketId: number, exchange: number, adapter: number) =>
    marketSpec(marketId, {
      exchangeAddress: addressOf(exchange),
      adapterAddress: addressOf(adapter),
    })
  for (let id = 1; id < LIMITS.venueAddressesMax / 2; id++) {
    driver.control({
      kind: 'createMarket',
      marketId: id,
      book: id,
      market: spec(id, id * 2, id * 2 + 1),
    })
  }
  const next = LIMITS.venueAddressesMax / 2
  const decide = (exchange: number, adapter: number) =>
    rejectName(decideMarkets(driver.clearing, [spec(next, exchange, adapter)]))
  assert.equal(decide(5000, 5001), 'NONE')
  const market = spec(next, 5000, 2)
  driver.control({ kind: 'createMarket', marketId: next, book: next, market })
  const last = (exchange: number, adapter: number) =>
    rejectName(decideMarkets(driver.clearing, [spec(next + 1, exchange, adapter)]))
  assert.equal(last(6000, 6001), 'VENUE_LIMIT')
  assert.equal(last(6000, 6000), 'NONE')
  assert.equal(last(3, 6000), 'NONE')
  assert.equal(last(3, 4), 'NONE')
})
