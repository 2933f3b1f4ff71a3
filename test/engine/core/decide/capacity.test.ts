import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { decideConvert, decideSplit } from '../../../../engine/core/decide/money/moves.ts'
import { OrderTable } from '../../../../engine/core/orders/order-table.ts'
import { brokenInvariant } from '../../../../engine/core/state/invariants.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import {
  orderShares,
  positionShares,
  SHARE_LIMITS,
} from '../../../../engine/domain/share-limits.ts'
import { ExchangeDriver, type Placed, type Wanted } from '../../../support/exchange-driver.ts'
import { marketSpec, profileFields } from '../../../support/specs.ts'

// Tables that all share, full of other owners' rows: as full as the gates let them become.

const UNIT = 1_000_000
const SHARE = 1_000_000
/** Slots of a small table: 2,048 orders. */
const CAPACITY = 2049
const SLOTS = CAPACITY - 1
const RESTING_MAX = SLOTS - SLOTS / 64

function bidOf(account: number, marketId: number, changes: Partial<Wanted> = {}): Wanted {
  const bid = { side: SIDE.BUY, outcome: OUTCOME.YES, type: 'GTC' as const, priceTicks: 1 }
  return { account, marketId, ...bid, sizeRaw: SHARE, ...changes }
}

/** The account places the order again until it is refused. Gives how many rest, and the refusal. */
function placeAll(driver: ExchangeDriver, wanted: Wanted): { placed: number; refused: string } {
  for (let placed = 0; ; placed++) {
    const { refused } = driver.place(wanted)
    if (refused !== null) return { placed, refused }
  }
}

function addSubAccount(driver: ExchangeDriver, partnerId: number): number {
  const profileId = driver.clearing.accounts.count + 1
  const profile = profileFields(profileId)
  const none = { sealedKey: null, approved: [], proof: null }
  driver.control({ kind: 'createSubAccount', profileId, profile, partnerId, ...none })
  const token = { tokenId: `token-${profileId}`, sealedSecret: new Uint8Array(4), label: null }
  driver.control({ kind: 'createToken', profileId, token: { ...token, scopes: [] } })
  driver.deposit(profileId, 1000 * UNIT)
  return profileId
}

/** The same state from a snapshot: all counts are made again. */
function restored(driver: ExchangeDriver): string | null {
  const again = restore(capture(driver.exchange), new OrderTable(driver.clearing.orders.capacity))
  return brokenInvariant(again.clearing)
}

test('an account alone has an eighth of the slots, and the next ones ever smaller shares', () => {
  const driver = new ExchangeDriver(CAPACITY)
  const marketId = driver.addMarket()
  const placed = Array.from({ length: 12 }, () => {
    const account = driver.addAccount(1000 * UNIT)
    return placeAll(driver, bidOf(account, marketId)).placed
  })
  assert.deepEqual(placed, [256, 256, 256, 128, 128, 128, 128, 128, 64, 64, 64, 64])
  const whole = orderShares(LIMITS.orderSlotsMax - 1).whole.owner
  assert.equal(whole.most, LIMITS.openOrdersPerProfileMax)
  assert.equal(whole.floor, SHARE_LIMITS.openOrdersFloor)
  assert.equal(brokenInvariant(driver.clearing), null)
})

test('a trader with nothing open trades while others have all the orders that they may', () => {
  const driver = new ExchangeDriver(CAPACITY)
  const marketId = driver.addMarket()
  // Eight owners took all of a table before; now they alternate, as eight sockets would.
  const owners = Array.from({ length: 8 }, () => driver.addAccount(1000 * UNIT))
  const isOver = new Set<number>()
  while (isOver.size < owners.length) {
    for (const owner of owners) {
      const { refused } = driver.place(bidOf(owner, marketId, { sizeRaw: 2 * SHARE }))
      if (refused === null) continue
      assert.equal(refused, 'OPEN_ORDERS_LIMIT')
      isOver.add(owner)
    }
  }
  const { live } = driver.clearing.orders
  assert(live.all < RESTING_MAX, `${live.all} orders of 8 owners`)
  const trader = driver.addAccount(1000 * UNIT)
  assert(placeAll(driver, bidOf(trader, marketId)).placed >= SHARE_LIMITS.openOrdersFloor)
  assert.equal(restored(driver), null)
})

test('orders that leave at once find a slot when no more may rest', () => {
  const driver = new ExchangeDriver(CAPACITY)
  const marketId = driver.addMarket()
  const slow = driver.addMarket({ takerDelayMs: 60_000 })
  const maker = driver.addAccount(1000 * UNIT)
  const ask = { side: SIDE.BUY, outcome: OUTCOME.NO, priceTicks: 500 }
  assert.equal(driver.place(bidOf(maker, marketId, ask)).result, 'RESTED')
  let result: { refused: string }
  do {
    const account = driver.addAccount(1000 * UNIT)
    result = placeAll(driver, bidOf(account, marketId))
  } while (result.refused !== 'CAPACITY')
  assert.equal(driver.clearing.orders.live.all, RESTING_MAX)
  const trader = driver.addAccount(1000 * UNIT)
  const take = (changes: Partial<Wanted>): Placed => {
    return driver.place(bidOf(trader, marketId, { priceTicks: 500, sizeRaw: 1000, ...changes }))
  }
  assert.equal(take({ type: 'FAK' }).filledRaw, 1000)
  assert.equal(take({ type: 'FOK' }).filledRaw, 1000)
  assert.equal(take({ type: 'GTC' }).refused, 'CAPACITY')
  // An order that a taker delay would hold takes a slot for as long.
  assert.equal(take({ type: 'FAK', marketId: slow }).refused, 'CAPACITY')
})

test('a partner with all its sub-accounts has a quarter of the slots', () => {
  const driver = new ExchangeDriver(CAPACITY * 4)
  const marketId = driver.addMarket()
  const partner = driver.addAccount(1000 * UNIT)
  const desk = addSubAccount(driver, partner)
  // A sub-account of a sub-account counts for the first partner.
  const clients = [desk, ...Array.from({ length: 40 }, () => addSubAccount(driver, partner))]
  clients.push(...Array.from({ length: 40 }, () => addSubAccount(driver, desk)))
  const order = { sizeRaw: 2 * SHARE }
  // Another owner has most of the table.
  const whale = driver.addAccount(1000 * UNIT)
  for (let each = 0; each < SLOTS * 2; each++) driver.place(bidOf(whale, marketId, order))
  for (const client of clients) {
    assert.equal(placeAll(driver, bidOf(client, marketId, order)).refused, 'OPEN_ORDERS_LIMIT')
  }
  const { live } = driver.clearing.orders
  const shared = live.ofPartner(desk)
  assert.equal(live.ofPartner(partner), shared)
  assert(shared >= live.shares.whole.partner.floor && shared <= SLOTS, `${shared} of a partner`)
  assert.equal(driver.place(bidOf(partner, marketId, order)).refused, 'OPEN_ORDERS_LIMIT')
  const trader = driver.addAccount(1000 * UNIT)
  assert(placeAll(driver, bidOf(trader, marketId)).placed >= SHARE_LIMITS.openOrdersFloor)
  assert.equal(brokenInvariant(driver.clearing), null)
  assert.equal(restored(driver), null)
})

test('beyond a few thousand orders each reserves 1,000 raw units or more', () => {
  const driver = new ExchangeDriver(1 << 16)
  const marketId = driver.addMarket()
  const account = driver.addAccount(1000 * UNIT)
  const small = placeAll(driver, bidOf(account, marketId, { sizeRaw: 999_000 }))
  assert.deepEqual(small, { placed: SHARE_LIMITS.smallOrdersMost, refused: 'AMOUNT_TOO_SMALL' })
  assert.equal(driver.place(bidOf(account, marketId)).result, 'RESTED')
  const leaves = driver.place(bidOf(account, marketId, { type: 'FAK', sizeRaw: 1000 }))
  assert.equal(leaves.result, 'KILLED', 'an order that leaves at once may be small')
})

function splitRefusal(driver: ExchangeDriver, account: number, marketId: number, raw: number) {
  const market = driver.clearing.catalogue.existing(marketId)
  const decided = decideSplit(driver.clearing, market, { profileId: account, amountRaw: raw })
  if (decided instanceof Reject) return decided.name
  driver.control(decided)
  return null
}

test('a trader without positions gets the floor of them when others have all they may', () => {
  const driver = new ExchangeDriver(1 << 14)
  const rows = 1 << 14
  driver.clearing.ledger.rows.live.shares = positionShares(rows)
  const children = LIMITS.groupChildrenMax
  const none = { yesTokenId: '', noTokenId: '', conditionId: '' }
  const group = { ...marketSpec(1), ...none, kind: 'group' as const }
  const markets = Array.from({ length: children }, (_none, orderInGroup) => {
    const marketId = orderInGroup + 2
    return { marketId, book: orderInGroup + 1, market: { ...marketSpec(marketId), groupId: 1 } }
  })
  driver.control({
    kind: 'createGroup',
    markets: [{ marketId: 1, book: 0, market: group }, ...markets],
  })
  const others = Array.from({ length: 600 }, () => driver.addMarket())
  const { ledger } = driver.clearing
  const refusals = new Set<string>()
  // Each of thirty owners splits one raw unit, and then a thousand, in every market it may.
  for (let owner = 0; owner < 30; owner++) {
    const account = driver.addAccount(UNIT)
    for (const marketId of others) {
      const refusal =
        splitRefusal(driver, account, marketId, 1) && splitRefusal(driver, account, marketId, 1000)
      if (refusal !== null) refusals.add(refusal)
    }
  }
  assert.deepEqual([...refusals], ['POSITION_LIMIT'])
  const left = rows - ledger.rows.count
  assert(left > SHARE_LIMITS.positionsFloor + children * 2, `${left} positions are left`)
  const trader = driver.addAccount(1000 * UNIT)
  assert.equal(splitRefusal(driver, trader, 2, 1000), null)
  const { catalogue } = driver.clearing
  const ask = { profileId: trader, amountRaw: 1 }
  const converted = decideConvert(
    driver.clearing,
    catalogue.existing(1),
    [catalogue.existing(2)],
    ask,
  )
  assert(!(converted instanceof Reject), 'a trader without positions converts in any group')
  driver.control(converted)
  assert.equal(ledger.rows.live.of(trader), children)
  assert.equal(splitRefusal(driver, trader, others[0], 1000), null)
  assert.equal(splitRefusal(driver, trader, others[1], 1000), 'POSITION_LIMIT')
  assert.equal(driver.place(bidOf(trader, others[0])).result, 'RESTED', 'it has this position')
  assert.equal(driver.place(bidOf(trader, others[1])).refused, 'POSITION_LIMIT')
  assert.equal(brokenInvariant(driver.clearing), null)
  assert.equal(restored(driver), null)
})

test('beyond some hundred positions each opens with 1,000 raw units or more', () => {
  const driver = new ExchangeDriver(64)
  const account = driver.addAccount(UNIT)
  const markets = Array.from({ length: SHARE_LIMITS.smallPositionsMost + 1 }, () =>
    driver.addMarket(),
  )
  const last = markets[SHARE_LIMITS.smallPositionsMost]
  for (const marketId of markets) {
    const refusal = splitRefusal(driver, account, marketId, 1)
    assert.equal(refusal, marketId === last ? 'AMOUNT_TOO_SMALL' : null)
  }
  const order = bidOf(account, last, { sizeRaw: 1000 })
  assert.equal(driver.place({ ...order, type: 'FAK' }).refused, 'AMOUNT_TOO_SMALL')
  assert.equal(splitRefusal(driver, account, markets[0], 1), null, 'it has this position')
  assert.equal(splitRefusal(driver, account, last, 1000), null)
})

test('one account cannot take the open size of a market, nor a partner with its clients', () => {
  const driver = new ExchangeDriver(4096)
  const marketId = driver.addMarket()
  const sizeRaw = LIMITS.orderSizeRawMax
  // At the lowest price the open size of a whole market reserves nine million units.
  const whale = driver.addAccount(9_100_000 * UNIT)
  const first = placeAll(driver, bidOf(whale, marketId, { sizeRaw }))
  assert.equal(first.refused, 'OPEN_SIZE_LIMIT')
  assert.equal(first.placed, Math.floor(SHARE_LIMITS.openSizeRawMost / sizeRaw))
  const partner = driver.addAccount(1000 * UNIT)
  const clients = Array.from({ length: 60 }, () => addSubAccount(driver, partner))
  for (const client of clients) {
    driver.deposit(client, 1_200_000 * UNIT)
    assert.equal(placeAll(driver, bidOf(client, marketId, { sizeRaw })).refused, 'OPEN_SIZE_LIMIT')
  }
  const { openSizeRaw } = driver.clearing.catalogue.existing(marketId)
  assert(openSizeRaw < Number.MAX_SAFE_INTEGER / 2, `${openSizeRaw} raw of a partner and a whale`)
  const trader = driver.addAccount(20_000 * UNIT)
  assert.equal(driver.place(bidOf(trader, marketId, { sizeRaw })).result, 'RESTED')
  assert.equal(brokenInvariant(driver.clearing), null)
  assert.equal(restored(driver), null)
})

test('the open size of a market stays exact, whoever has how much of it', () => {
  const driver = new ExchangeDriver(64)
  const marketId = driver.addMarket()
  const account = driver.addAccount(UNIT)
  assert.equal(driver.place(bidOf(account, marketId, { sizeRaw: 5 * SHARE })).result, 'RESTED')
  driver.clearing.catalogue.existing(marketId).openSizeRaw = Number.MAX_SAFE_INTEGER - 2_000_000
  const place = (sizeRaw: number) => driver.place(bidOf(account, marketId, { sizeRaw }))
  assert.equal(place(2_001_000).refused, 'OPEN_SIZE_LIMIT')
  assert.equal(place(2_000_000).result, 'RESTED')
  assert.equal(place(1000).refused, 'OPEN_SIZE_LIMIT')
})
