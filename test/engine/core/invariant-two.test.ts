import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Amended, decideDecrease } from '../../../engine/core/decide/amend.ts'
import { decideCancel } from '../../../engine/core/decide/cancel.ts'
import { decidePlace } from '../../../engine/core/decide/decide.ts'
import { fillRelease } from '../../../engine/core/decide/release.ts'
import { Exchange } from '../../../engine/core/exchange.ts'
import { OrderTable, STATE } from '../../../engine/core/orders/order-table.ts'
import { brokenInvariant } from '../../../engine/core/state/invariants.ts'
import type { Command, PlaceOrder } from '../../../engine/domain/command.ts'
import { concernsBook } from '../../../engine/domain/command-kinds.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { blankPlace } from '../../../engine/wire/place-codec.ts'
import { blankRelease } from '../../../engine/wire/release-codec.ts'
import { LateMarkets } from '../../support/late-markets.ts'
import { freshSeed, Random } from '../../support/random.ts'
import { marketSpec, ownRequest, profileFields } from '../../support/specs.ts'

// Invariant 2: the answers of markets only raise free balances. So a decision that main takes
// before it receives them stands afterwards, whatever comes in between and in whatever order they
// come.

const ACCOUNTS = 5
const MARKETS = 3
const START_MS = 1_700_000_000_000
/** Small against the orders, so that nearly every account is nearly always short. */
const DEPOSIT_RAW = 40_000_000
const RATE_BPS = 300
const GTC = 0
const FOK = 2

/** Orders and cancels of all accounts, decided by what main has received so far. */
class LateFlow {
  readonly late = new LateMarkets()
  readonly #random: Random
  readonly #placed: PlaceOrder[] = []
  #hashes = 0
  releases = 0
  amends = 0

  constructor(seed: number) {
    this.#random = new Random(seed)
    for (let profileId = 1; profileId <= ACCOUNTS; profileId++) {
      const rank = { id: 1, name: 'Any', feeRateBps: RATE_BPS }
      const profile = profileFields(profileId, { rank })
      const tokenId = `token-${profileId}`
      const sealedSecret = new Uint8Array(4)
      const token = { tokenId, sealedSecret, label: null, scopes: ['trading' as const] }
      this.late.apply({ ...this.#stamp(), kind: 'createProfile', profileId, profile, token })
      const collateralRaw = DEPOSIT_RAW
      this.late.apply({ ...this.#stamp(), kind: 'adjustBalance', profileId, collateralRaw })
    }
    for (let marketId = 1; marketId <= MARKETS; marketId++) {
      const takerDelayMs = marketId === MARKETS ? 500 : 0
      const market = marketSpec(marketId, { feeEnabled: marketId !== 2, takerDelayMs })
      this.late.apply({ ...this.#stamp(), kind: 'createMarket', marketId, book: marketId, market })
    }
  }

  #stamp(): { seq: number; nowMs: number } {
    return { seq: this.late.clearing.lastSeq + 1, nowMs: START_MS }
  }

  /** Tries one order, cancel or release; false when a gate refused it. */
  step(): boolean {
    const dice = this.#random.next()
    if (dice < 0.2) return this.#cancel()
    if (dice > 0.9 && this.#release()) return true
    if (dice > 0.85) return this.#replace()
    if (dice > 0.8) return this.#decrease()
    return dice < 0.25 ? this.#withdraw() : this.#place(this.#order())
  }

  #place(order: PlaceOrder, amended?: Amended): boolean {
    const { clearing } = this.late
    const market = clearing.catalogue.existing(order.marketId)
    const [token] = clearing.accounts.tokensOf(order.accountId)
    const request = ownRequest(order, token.tokenNo)
    request.signedFeeBps = market.feeEnabled ? RATE_BPS : 0
    request.amended = amended
    if (decidePlace(clearing, request, START_MS) !== null) return false
    const decided = { ...order, ...this.#stamp() }
    this.late.apply(decided)
    this.#placed.push(decided)
    return true
  }

  #order(): PlaceOrder {
    const random = this.#random
    const accountId = random.between(1, ACCOUNTS)
    const marketId = random.between(1, MARKETS)
    const outcome = random.below(2)
    const heldRaw = this.late.clearing.ledger.freeSharesRaw(accountId, marketId, outcome)
    const side = heldRaw > 0 && random.chance(0.6) ? SIDE.SELL : SIDE.BUY
    const marketForm = random.chance(0.15)
    const orderType = marketForm ? FOK : random.pick([GTC, GTC, GTC, 1, FOK])
    const sizeRaw = 1000 * random.between(1, 20_000)
    const hash = ++this.#hashes
    const order = { ...blankPlace(), accountId, marketId, outcome, side, orderType, marketForm }
    Object.assign(order, {
      book: marketId,
      stp: random.below(3),
      hashHigh: hash,
      hashLow: hash,
      sizeRaw,
    })
    order.postOnly = orderType === GTC && random.chance(0.2)
    if (!marketForm) order.priceTicks = random.between(470, 530)
    else if (side === SIDE.SELL) order.sizeRaw = Math.max(1, sizeRaw - random.below(1000))
    else Object.assign(order, { sizeRaw: 0, spendRaw: random.between(1, 10_000_000) })
    if (random.chance(0.1)) order.clientOrderId = `order ${hash}`
    return order
  }

  #oneOfLate(): PlaceOrder | undefined {
    return this.#placed.length === 0 ? undefined : this.#random.pick(this.#placed.slice(-40))
  }

  /** Replaces an order that may be filled or canceled in its market meanwhile. */
  #replace(): boolean {
    const old = this.#oneOfLate()
    if (old === undefined) return false
    const { accountId, marketId, book, outcome, side, slot, generation } = old
    const order = { ...this.#order(), accountId, marketId, book, outcome, side, orderType: GTC }
    if (order.marketForm) return false
    const isReplaced = this.#place(order, { slot, generation, seenFilledRaw: this.#seenRaw(old) })
    if (isReplaced) this.amends++
    return isReplaced
  }

  #seenRaw({ slot }: PlaceOrder): number | null {
    if (this.#random.chance(0.7)) return null
    return this.#random.below(this.late.clearing.orders.filledSharesRawOf(slot) + 1)
  }

  #decrease(): boolean {
    const named = this.#oneOfLate()
    if (named === undefined) return false
    const { accountId, marketId, slot, generation, sizeRaw } = named
    const amended = { slot, generation, seenFilledRaw: this.#seenRaw(named) }
    const wantedRaw = this.#random.below(sizeRaw + 1)
    const byRaw = decideDecrease(this.late.clearing, accountId, amended, wantedRaw)
    if (typeof byRaw !== 'number') return false
    this.late.apply({ kind: 'decreaseOrder', ...this.#stamp(), marketId, slot, generation, byRaw })
    this.amends++
    return true
  }

  #cancel(): boolean {
    const { clearing } = this.late
    const named = this.#oneOfLate()
    if (named === undefined) return false
    const { slot, generation, accountId, marketId } = named
    if (decideCancel(clearing, accountId, slot, generation) !== null) return false
    const slots = Uint32Array.of(slot)
    const generations = Uint32Array.of(generation)
    const cancel = { kind: 'cancelOrders' as const, marketId, reason: 0, count: 1 }
    this.late.apply({ ...cancel, ...this.#stamp(), slots, generations })
    return true
  }

  /** Releases an order that main knows to be held; a cancel of the order may be under way. */
  #release(): boolean {
    const { orders } = this.late.clearing
    const held = this.#placed.slice(-200).filter(({ slot, generation }) => {
      const isHeld = orders.isLive(slot, generation) && orders.stateOf(slot) === STATE.HELD
      return isHeld && !orders.held.isReleasing(slot)
    })
    if (held.length === 0) return false
    const release = blankRelease()
    fillRelease(release, this.late.clearing, this.#random.pick(held).slot)
    this.late.apply({ ...release, ...this.#stamp() })
    this.releases++
    return true
  }

  /** Withdraws all free collateral, or deposits some again. */
  #withdraw(): boolean {
    const profileId = this.#random.between(1, ACCOUNTS)
    const freeRaw = this.late.clearing.ledger.collateralFreeRaw[profileId]
    const collateralRaw = this.#random.chance(0.5) ? -freeRaw : DEPOSIT_RAW / 4
    if (collateralRaw === 0) return false
    this.late.apply({ ...this.#stamp(), kind: 'adjustBalance', profileId, collateralRaw })
    return true
  }

  /** Main receives up to `count` answers, of any markets in any order. */
  receive(count: number): void {
    for (let left = count; left > 0 && this.late.unreceivedCount > 0; left--) {
      this.late.receive(this.#random.pick(this.late.speaking))
    }
  }
}

function replayHash(commands: readonly Command[]): string {
  const exchange = new Exchange(new OrderTable(512))
  for (const command of commands) exchange.apply(command)
  assert.equal(exchange.checkInvariants(), null)
  return exchange.stateHash()
}

test('decisions taken before main receives the answers stand in a replay on one thread', () => {
  const first = freshSeed()
  let settled = 0
  let releases = 0
  let amends = 0
  for (let seed = first; seed < first + 60; seed++) {
    const flow = new LateFlow(seed)
    const lateness = new Random(seed)
    // From answers that main receives at once to hundreds that wait.
    const receives = lateness.pick([1, 0.5, 0.1, 0.02])
    for (let step = 0; step < 800; step++) {
      flow.step()
      if (lateness.chance(receives)) flow.receive(1 + lateness.below(2 / receives))
      if (step % 50 === 0) assert.equal(brokenInvariant(flow.late.clearing), null, `SEED=${seed}`)
    }
    flow.receive(Number.POSITIVE_INFINITY)
    assert.equal(brokenInvariant(flow.late.clearing), null, `SEED=${seed}`)
    settled += flow.late.settled
    releases += flow.releases
    amends += flow.amends
    const hash = flow.late.hash()
    assert.equal(replayHash(flow.late.commands), hash, `SEED=${seed}`)
  }
  // A single flow may by chance trade or release little, so the sums are checked.
  assert(settled > 60 * 150, 'flows trade')
  assert(releases > 60 * 5, 'flows hold and release')
  assert(amends > 60 * 20, 'flows amend')
})

const WINDOW = 6

/**
 * Every possible order of events: 0 decides the next command, another number receives an answer of
 * that market.
 */
function* interleavings(markets: readonly number[]): Iterable<readonly number[]> {
  const path: number[] = []
  const unreceived = new Map<number, number>()
  function* extend(decided: number, received: number): Iterable<readonly number[]> {
    if (received === markets.length) yield path
    if (decided < markets.length) {
      const marketId = markets[decided]
      unreceived.set(marketId, (unreceived.get(marketId) ?? 0) + 1)
      path.push(0)
      yield* extend(decided + 1, received)
      path.pop()
      unreceived.set(marketId, (unreceived.get(marketId) ?? 0) - 1)
    }
    for (const marketId of new Set(markets)) {
      const count = unreceived.get(marketId) ?? 0
      if (count === 0) continue
      unreceived.set(marketId, count - 1)
      path.push(marketId)
      yield* extend(decided, received + 1)
      path.pop()
      unreceived.set(marketId, count)
    }
  }
  yield* extend(0, 0)
}

const marketOf = (command: Command) => ('marketId' in command ? command.marketId : 0)
const isOfBook = concernsBook

test('every order of decisions and answers gives one state', () => {
  const first = freshSeed()
  let ways = 0
  for (let seed = first; seed < first + 3; seed++) {
    const flow = new LateFlow(seed)
    for (let step = 0; step < 60; step++) {
      flow.step()
      flow.receive(Number.POSITIVE_INFINITY)
    }
    const before = flow.late.commands.length
    // Main decides all of these before it receives any of their answers, as late as it can be.
    const ofBooks = () => flow.late.commands.slice(before).filter(isOfBook)
    while (ofBooks().length < WINDOW) flow.step()
    const commands = [...flow.late.commands]
    const window = commands.slice(before)
    const hash = replayHash(commands)
    for (const way of interleavings(ofBooks().map(marketOf))) {
      ways++
      const late = new LateMarkets()
      for (const command of commands.slice(0, before)) {
        late.apply(command)
        for (const marketId of late.speaking) late.receive(marketId)
      }
      playWay(late, window, way)
      assert.equal(late.hash(), hash, `SEED=${seed}: ${way}`)
    }
  }
  assert(ways > 1000, `${ways} ways`)
})

function playWay(late: LateMarkets, window: readonly Command[], way: readonly number[]): void {
  let next = 0
  for (const marketId of way) {
    if (marketId !== 0) {
      late.receive(marketId)
      continue
    }
    // A command without an answer goes in together with the next command that has one.
    while (next < window.length && !isOfBook(window[next])) late.apply(window[next++])
    late.apply(window[next++])
  }
  while (next < window.length) late.apply(window[next++])
}
