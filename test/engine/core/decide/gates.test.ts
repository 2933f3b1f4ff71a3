import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clearing } from '../../../../engine/core/clearing.ts'
import {
  decidePlace,
  expiresAtMs,
  type PlaceRequest,
} from '../../../../engine/core/decide/decide.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { REJECT, Reject, type RejectName } from '../../../../engine/domain/reject-precedence.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { rejectName } from '../../../support/reject-name.ts'

// Each row breaks one gate more than the row below it; the highest broken gate gives the refusal.

interface World {
  driver: ExchangeDriver
  clearing: Clearing
  request: PlaceRequest
}

/** A table with one free slot, one fee market, and one trader with 1 unit of collateral left. */
function newWorld(): World {
  const driver = new ExchangeDriver(3)
  const marketId = driver.addMarket({ feeEnabled: true })
  const account = driver.addAccount(1_000_001)
  const wanted = { account, marketId, side: SIDE.BUY, outcome: OUTCOME.YES }
  const rested = { ...wanted, type: 'GTC' as const, priceTicks: 1, sizeRaw: 1000, hash: 77 }
  assert.equal(driver.place({ ...rested, clientOrderId: 'used' }).result, 'RESTED')
  const order = driver.orderOf({ ...rested, hash: 78, priceTicks: 500, sizeRaw: 2_000_000 })
  return { driver, clearing: driver.clearing, request: driver.requestOf(order) }
}

const WINDOW = {
  windowId: 1,
  startsAtMs: 0,
  endsAtMs: null,
  publicMessage: '',
  mode: 'cancel_only' as const,
}

/** In falling precedence; a test breaks the gates from the bottom up. */
const BREAKS: readonly [RejectName, (world: World) => void][] = [
  ['TOKEN_REVOKED', ({ driver }) => driver.control({ kind: 'revokeToken', tokenId: 'token-1' })],
  [
    'PROFILE_FROZEN',
    ({ driver }) => driver.control({ kind: 'freezeProfile', profileId: 1, reason: '' }),
  ],
  [
    'CANCEL_ONLY_MODE',
    ({ driver }) => driver.control({ kind: 'putTradingWindow', window: WINDOW }),
  ],
  [
    'RECV_WINDOW_EXPIRED',
    ({ driver, request }) =>
      Object.assign(request, { recvWindowMs: 10, timestampMs: driver.nowMs - 11 }),
  ],
  ['MARKET_NOT_TRADABLE', ({ driver }) => driver.control({ kind: 'lockMarket', marketId: 1 })],
  ['ORDER_EXPIRED', ({ request }) => Object.assign(request.order, { expirationSec: 1 })],
  ['OWNER_MISMATCH', ({ request }) => Object.assign(request, { ownerId: 2 })],
  ['SIGNER_MISMATCH', ({ request }) => Object.assign(request, { signerIsCaller: false })],
  ['FEE_RATE_MISMATCH', ({ request }) => Object.assign(request, { signedFeeBps: 299 })],
  ['SIGNATURE_INVALID', ({ request }) => Object.assign(request, { signatureOk: false })],
  [
    'DUPLICATE_ORDER',
    ({ driver, request }) => {
      const { hashHigh, hashLow } = driver.orderOf({ ...requestOf(request), hash: 77 })
      Object.assign(request.order, { hashHigh, hashLow })
    },
  ],
  [
    'DUPLICATE_CLIENT_ORDER_ID',
    ({ request }) => Object.assign(request.order, { clientOrderId: 'used' }),
  ],
  [
    'OPEN_SIZE_LIMIT',
    ({ clearing }) => {
      clearing.catalogue.existing(1).openSizeRaw = Number.MAX_SAFE_INTEGER - 1999
    },
  ],
  [
    'CAPACITY',
    ({ driver, request }) => {
      // Another owner has the last slot.
      const account = driver.addAccount(1e6)
      const wanted = { ...requestOf(request), account, type: 'GTC' as const, priceTicks: 1 }
      assert.equal(driver.place({ ...wanted, sizeRaw: 1000, hash: 79 }).result, 'RESTED')
    },
  ],
  ['INSUFFICIENT_COLLATERAL', ({ request }) => Object.assign(request.order, { sizeRaw: 4e6 })],
]

function requestOf({ order }: PlaceRequest) {
  const { accountId: account, marketId, side, outcome } = order
  return { account, marketId, side, outcome, type: 'GTC' as const }
}

test('an order that passes every gate is accepted, and its decided fields are filled in', () => {
  const { clearing, driver, request } = newWorld()
  assert.equal(decidePlace(clearing, request, driver.nowMs), null)
  const { slot, generation, reserveRaw, feeBps } = request.order
  assert.deepEqual({ slot, generation, reserveRaw, feeBps }, decidedFields)
})
const decidedFields = { slot: 2, generation: 1, reserveRaw: 1_000_000, feeBps: 300 }

for (const [index, [name]] of BREAKS.entries()) {
  const worse = BREAKS.length - 1 - index
  test(`${name} is answered before the ${worse} gates below it`, () => {
    const world = newWorld()
    const moneyBefore = world.driver.freeRaw(1)
    for (const [, breakGate] of BREAKS.slice(index).reverse()) breakGate(world)
    const refusal = decidePlace(world.clearing, world.request, world.driver.nowMs)
    assert.equal(rejectName(refusal), name)
    assert(world.driver.freeRaw(1) >= moneyBefore - 1, 'a refusal reserves nothing')
  })
}

test('an order of a resolved market is refused, whoever holds its book by then', () => {
  const { driver, clearing, request } = newWorld()
  const decide = () => rejectName(decidePlace(clearing, request, driver.nowMs))
  driver.control({
    kind: 'resolveMarkets',
    resolutions: [{ marketId: 1, payoutNumerators: [1, 0] }],
  })
  assert.equal(decide(), 'MARKET_NOT_TRADABLE')
  driver.cancelMany(1, [{ slot: 1, generation: 1 }])
  assert.equal(clearing.catalogue.existing(1).book, 0, 'the book is closed')
  assert.equal(decide(), 'MARKET_NOT_TRADABLE')
  const next = driver.addMarket({ feeEnabled: true })
  assert.equal(clearing.catalogue.existing(next).book, request.order.book, 'the book is used again')
  assert.equal(decide(), 'MARKET_NOT_TRADABLE')
  driver.control({ kind: 'archiveMarket', marketId: 1 })
  assert.equal(decide(), 'MARKET_NOT_TRADABLE')
})

test('refusal numbers ascend in the order of the gates', () => {
  const numbers = BREAKS.map(([name]) => REJECT[name].number)
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
  )
})

test('a signed rate must be the lower of rank and cap, and a profile without rank has none', () => {
  const driver = new ExchangeDriver(64)
  const feeMarket = driver.addMarket({ feeEnabled: true })
  const freeMarket = driver.addMarket({ feeEnabled: false })
  const rank = { id: 1, name: 'Gold', feeRateBps: 200 }
  const accounts = {
    ranked: driver.addAccount(1e9, { rank }),
    capped: driver.addAccount(1e9, { rank, feeCapBps: 50 }),
    highCap: driver.addAccount(1e9, { rank, feeCapBps: 900 }),
    unranked: driver.addAccount(1e9, { rank: null, feeCapBps: 50 }),
  }
  const decide = (account: number, marketId: number, signedFeeBps: number) => {
    const wanted = { account, marketId, side: SIDE.BUY, outcome: OUTCOME.NO, type: 'GTC' as const }
    const order = driver.orderOf({ ...wanted, priceTicks: 1, sizeRaw: 1000 })
    const request = { ...driver.requestOf(order), signedFeeBps }
    const name = rejectName(decidePlace(driver.clearing, request, driver.nowMs))
    return [name, order.feeBps]
  }
  assert.deepEqual(decide(accounts.ranked, feeMarket, 200), ['NONE', 200])
  assert.deepEqual(decide(accounts.ranked, feeMarket, 300), ['FEE_RATE_MISMATCH', 0])
  assert.deepEqual(decide(accounts.ranked, feeMarket, 0), ['FEE_RATE_MISMATCH', 0])
  assert.deepEqual(decide(accounts.capped, feeMarket, 50), ['NONE', 50])
  assert.deepEqual(decide(accounts.capped, feeMarket, 200), ['FEE_RATE_MISMATCH', 0])
  assert.deepEqual(decide(accounts.highCap, feeMarket, 200), ['NONE', 200])
  assert.deepEqual(decide(accounts.unranked, feeMarket, 50), ['FEE_RATE_UNAVAILABLE', 0])
  // A market without fees charges nothing, whatever rate is signed.
  for (const signed of [0, 200, 1000]) {
    assert.deepEqual(decide(accounts.unranked, freeMarket, signed), ['NONE', 0])
  }
})

test('the receive window, the deadline and the expiration end exactly where they say', () => {
  const driver = new ExchangeDriver(64)
  const marketId = driver.addMarket({ deadlineMs: driver.nowMs + 10_000 })
  const account = driver.addAccount(1e9)
  const wanted = { account, marketId, side: SIDE.BUY, outcome: OUTCOME.NO, type: 'GTC' as const }
  const decide = (changes: Partial<PlaceRequest>, expirationSec: number, nowMs: number) => {
    const order = driver.orderOf({ ...wanted, priceTicks: 1, sizeRaw: 1000, expirationSec })
    const request = { ...driver.requestOf(order), ...changes }
    return rejectName(decidePlace(driver.clearing, request, nowMs))
  }
  const now = driver.nowMs
  const windowed = (timestampMs: number) => decide({ recvWindowMs: 500, timestampMs }, 0, now)
  assert.equal(windowed(now - 500), 'NONE')
  assert.equal(windowed(now - 501), 'RECV_WINDOW_EXPIRED')
  assert.equal(windowed(now + 1000), 'NONE')
  assert.equal(windowed(now + 1001), 'RECV_WINDOW_EXPIRED')
  // The window counts by the wall clock; the server's time may be hours away from that clock.
  const stamped = { recvWindowMs: 500, timestampMs: now - 500, wallMs: now }
  assert.equal(decide(stamped, 0, now + 9_000), 'NONE')
  assert.equal(decide({ ...stamped, wallMs: now + 1 }, 0, now), 'RECV_WINDOW_EXPIRED')
  assert.equal(decide({}, 0, now + 9_999), 'NONE')
  assert.equal(decide({}, 0, now + 10_000), 'MARKET_NOT_TRADABLE')
  // An order is alive through the whole second of its expiration.
  assert.equal(decide({}, now / 1000, now + 999), 'NONE')
  assert.equal(decide({}, now / 1000, now + 1000), 'ORDER_EXPIRED')
  assert.equal(expiresAtMs(now / 1000), now + 1000)
})

test('a hash and a client id are free again only after a post-only order left no trace', () => {
  const driver = new ExchangeDriver(64)
  const marketId = driver.addMarket()
  const maker = driver.addAccount(1e9)
  const taker = driver.addAccount(1e9)
  const buy = { marketId, side: SIDE.BUY, priceTicks: 500, sizeRaw: 1e6, type: 'GTC' as const }
  driver.place({ ...buy, account: maker, outcome: OUTCOME.NO, hash: 1 })
  const mine = { ...buy, account: taker, outcome: OUTCOME.YES, hash: 2, clientOrderId: 'once' }
  assert.equal(driver.place({ ...mine, postOnly: true }).result, 'WOULD_CROSS')
  assert.equal(driver.clearing.catalogue.existing(marketId).openSizeRaw, 1e6)
  assert.equal(driver.place({ ...mine, type: 'FAK' }).result, 'FILLED')
  assert.equal(driver.place(mine).refused, 'DUPLICATE_ORDER')
  assert.equal(driver.place({ ...mine, hash: 3 }).refused, 'DUPLICATE_CLIENT_ORDER_ID')
  assert.equal(driver.place({ ...mine, account: maker, hash: 3 }).refused, null)
})

test('only the owner cancels an order, and only an open one', () => {
  const driver = new ExchangeDriver(64)
  const marketId = driver.addMarket()
  const alice = driver.addAccount(1e9)
  const bob = driver.addAccount(1e9)
  const wanted = { marketId, side: SIDE.BUY, outcome: OUTCOME.YES, priceTicks: 500, sizeRaw: 1e6 }
  const placed = driver.place({ ...wanted, account: alice, type: 'GTC' })
  assert.equal(driver.cancel(bob, placed), 'ORDER_NOT_FOUND')
  const older = { slot: placed.slot, generation: placed.generation - 1 }
  assert.equal(driver.cancel(alice, older), 'ORDER_NOT_OPEN')
  assert.equal(driver.cancel(alice, placed), null)
  assert.equal(driver.cancel(alice, placed), 'ORDER_NOT_OPEN')
})

test('an order of another maker is refused, whoever signed it', () => {
  const { clearing, driver, request } = newWorld()
  Object.assign(request, { makerIsCaller: false })
  assert.equal(rejectName(decidePlace(clearing, request, driver.nowMs)), 'OWNER_MISMATCH')
})

test('an order reserves the free balance to the last raw unit, and not one more', () => {
  const driver = new ExchangeDriver(64)
  const marketId = driver.addMarket()
  const [buyer, other] = [driver.addAccount(1_000_000), driver.addAccount(0)]
  const market = { marketId, outcome: OUTCOME.YES, type: 'FOK' as const }
  const decide = (wanted: {
    account: number
    side: number
    sizeRaw?: number
    spendRaw?: number
  }) => {
    const request = driver.requestOf(driver.orderOf({ ...market, ...wanted }))
    const refusal = decidePlace(driver.clearing, request, driver.nowMs)
    assert.ok(refusal === null || refusal instanceof Reject)
    return [refusal?.name ?? 'NONE', refusal?.shortfall ?? null]
  }
  const buys = { account: buyer, side: SIDE.BUY }
  const short = (availableRaw: number, requiredRaw: number) => ({ availableRaw, requiredRaw })
  assert.deepEqual(decide({ ...buys, spendRaw: 1_000_000 }), ['NONE', null])
  assert.deepEqual(decide({ ...buys, spendRaw: 1_000_001 }), [
    'INSUFFICIENT_COLLATERAL',
    short(1_000_000, 1_000_001),
  ])
  driver.mint(marketId, 2000, { yes: buyer, no: other, taker: buyer })
  const sells = { account: buyer, side: SIDE.SELL }
  assert.deepEqual(decide({ ...sells, sizeRaw: 2000 }), ['NONE', null])
  assert.deepEqual(decide({ ...sells, sizeRaw: 2001 }), ['INSUFFICIENT_SHARES', short(2000, 2001)])
})
