import assert from 'node:assert/strict'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import { decideAdjust } from '../../engine/core/decide/accounts.ts'
import { expiresAtMs, isTradable } from '../../engine/core/decide/decide.ts'
import { mayArchive } from '../../engine/core/decide/endings.ts'
import { decideMarkets, decideResolve } from '../../engine/core/decide/markets.ts'
import { mayRelease } from '../../engine/core/decide/release.ts'
import { STATE } from '../../engine/core/orders/order-table.ts'
import type { Command } from '../../engine/domain/command.ts'
import { takesOrders } from '../../engine/domain/markets/market.ts'
import { POLICY_OF_TYPE, SIDE } from '../../engine/domain/order.ts'
import { encodePlace } from '../../engine/wire/place-codec.ts'
import { encodeCommand } from '../support/encode-command.ts'
import { ExchangeDriver, type OrderRef, type Wanted } from '../support/exchange-driver.ts'
import { noteProgress } from '../support/progress.ts'
import { Random } from '../support/random.ts'
import { marketSpec } from '../support/specs.ts'
import { GoldenAccounts } from './golden-accounts.ts'
import { GoldenCast, MINUTE_MS, TRADERS } from './golden-cast.ts'
import { GoldenChain } from './golden-chain.ts'
import { GoldenControls } from './golden-controls.ts'
import { GoldenMarkets, isPlain } from './golden-markets.ts'
import { GoldenMoves } from './golden-moves.ts'
import { GoldenPacks } from './golden-packs.ts'
import { GoldenPages } from './golden-pages.ts'
import { GoldenRewards } from './golden-rewards.ts'
import { GoldenSeries } from './golden-series.ts'
import { GoldenSocial } from './golden-social.ts'

// A seeded exchange in which everything happens that commands can say; a recording holds it. It
// decides by the real gates, then stamps and applies, and notes the state hash after each command.

const FIRST_MARKETS = 4
const SLOTS = 1024
const RATES_BPS = [300, 250, 100, 30, 1, 0, 7]
/** By the profile that logged in with the code of the other. */
const REFERRED = new Map([
  [6, 1],
  [7, 2],
])
const PAYOUTS = [
  [1, 0],
  [0, 1],
  [2, 3],
] as const

export class GoldenFlow {
  readonly driver = new ExchangeDriver(SLOTS)
  readonly records: Uint8Array[] = []
  readonly hashes: string[] = []
  readonly #random: Random
  readonly #cast: GoldenCast
  readonly #chain: GoldenChain
  readonly #controls: GoldenControls
  readonly #series: GoldenSeries
  readonly #packs: GoldenPacks
  readonly #controlSteps: readonly (() => void)[]

  constructor(seed: number) {
    assert.equal(RATES_BPS.length, TRADERS)
    this.#random = new Random(seed)
    this.#cast = new GoldenCast(this.driver, this.#random)
    this.#chain = new GoldenChain(this.#cast)
    this.#controls = new GoldenControls(this.#cast)
    this.#series = new GoldenSeries(this.#cast)
    this.#packs = new GoldenPacks(this.#cast)
    this.#controlSteps = [
      () => this.#adjustBalance(),
      () => this.#adjustBalance(),
      () => this.#closeMarket(),
      () => this.#releaseGone(),
      () => this.#briefMarket(),
      () => this.#archive(),
      ...new GoldenAccounts(this.#cast).steps,
      ...this.#controls.steps,
      ...new GoldenPages(this.#cast).steps,
      ...new GoldenMarkets(this.#cast).steps,
      ...this.#series.steps,
      ...this.#packs.steps,
      ...new GoldenMoves(this.#cast).steps,
      ...new GoldenRewards(this.#cast).steps,
      ...new GoldenSocial(this.#cast).steps,
      ...Array<() => void>(4).fill(() => this.#chain.mine()),
      () => this.#chain.follow(),
      () => this.#chain.follow(),
    ]
    this.driver.onCommand = (command) => {
      // The hash is the state that the previous command left.
      if (this.records.length > 0) this.hashes.push(this.driver.exchange.stateHash())
      this.records.push(encoded(command))
    }
    this.driver.control({ kind: 'rules', version: RULES_VERSION })
    this.driver.control({ kind: 'setAdminToken', tokenDigest: this.#cast.hex(8) })
    for (const [id, feeRateBps] of RATES_BPS.entries()) {
      const rank = { id, name: `Rank ${id}`, feeRateBps }
      const referredBy = REFERRED.get(id + 1)
      const scopes = ['trading', 'delegated_signing'] as const
      this.driver.addAccount(50_000_000_000, { rank, scopes }, referredBy)
    }
    for (let each = 0; each < FIRST_MARKETS; each++) this.#createMarket()
  }

  /** Runs until `count` commands were made, and keeps exactly `count`. */
  run(count: number): void {
    while (this.records.length <= count) this.#step()
    this.records.length = count
    this.hashes.length = count
  }

  #step(): void {
    noteProgress()
    this.driver.nowMs += this.#random.below(4000)
    this.#meetDeadlines()
    const dice = this.#random.next()
    if (dice < 0.445) this.#place()
    else if (dice < 0.455) this.#decrease()
    else if (dice < 0.48) this.#replace()
    else if (dice < 0.56) this.#cancel()
    else if (dice < 0.58) this.#cancelAll()
    else this.#random.pick(this.#controlSteps)()
  }

  #tradable(): number[] {
    const markets = this.driver.clearing.catalogue.all()
    const open = markets.filter((market) => isTradable(market, this.driver.nowMs))
    return open.map((market) => market.marketId)
  }

  #place(): void {
    const random = this.#random
    const [account, outcome] = [this.#cast.trader(), random.below(2)]
    // Most orders go to few markets, so that they meet.
    const tradable = this.#tradable()
    const marketId = random.pick(random.chance(0.8) ? tradable.slice(0, 2) : tradable)
    const heldRaw = this.driver.sharesRaw(account, marketId, outcome)
    const side = heldRaw >= 1000 && random.chance(0.5) ? SIDE.SELL : SIDE.BUY
    const wanted: Wanted = { account, marketId, outcome, side, stp: random.below(3), type: 'FOK' }
    if (random.chance(0.15)) {
      if (side === SIDE.BUY) wanted.spendRaw = random.between(1, 400_000_000)
      else wanted.sizeRaw = random.between(1, heldRaw)
    } else {
      const wantRaw = 1000 * random.between(1, 500_000)
      wanted.type = random.pick(['GTC', 'GTC', 'GTC', 'GTC', 'FAK', 'FOK'])
      wanted.priceTicks = random.chance(0.05) ? random.pick([1, 999]) : random.between(490, 510)
      wanted.sizeRaw = side === SIDE.SELL ? Math.min(wantRaw, heldRaw - (heldRaw % 1000)) : wantRaw
      wanted.postOnly = wanted.type === 'GTC' && random.chance(0.2)
    }
    if (random.chance(0.3)) wanted.clientOrderId = this.#cast.name('Auftrag №')
    if (random.chance(0.2)) {
      wanted.expirationSec = Math.floor(this.driver.nowMs / 1000) + random.below(60)
    }
    wanted.orderGroup = this.#controls.groupFor(account)
    // A refusal for a balance that ran short makes no command; the flow goes on.
    const placed = this.driver.place(wanted)
    this.#chain.traded({ marketId, accountId: account, side, outcome }, placed)
  }

  #cancel(): void {
    if (!this.#controls.mayCancel) return
    const open = this.#cast.open()
    if (open.length === 0) return
    const order = this.#random.pick(open)
    const refused = this.driver.cancel(order.account, order)
    assert.ok(refused === null || refused === 'DELAYED_CANCEL_OFF', `${refused}`)
  }

  #resting(): (OrderRef & { account: number }) | undefined {
    const { orders } = this.driver.clearing
    const resting = this.#cast.open().filter(({ slot }) => {
      return POLICY_OF_TYPE[orders.orderTypeOf(slot)].rests
    })
    return resting.length === 0 ? undefined : this.#random.pick(resting)
  }

  /** Takes shares off an order, sometimes all of them. */
  #decrease(): void {
    const order = this.#resting()
    if (!this.#controls.mayCancel || order === undefined) return
    const { account, slot, generation } = order
    const leftRaw = this.driver.clearing.orders.leftRawOf(slot)
    const sizeRaw = this.#random.chance(0.2) ? 0 : this.#random.below(leftRaw)
    const amended = { slot, generation, seenFilledRaw: null }
    const refused = this.driver.decrease(account, amended, sizeRaw)
    assert.ok(refused === null || refused === 'DELAYED_CANCEL_OFF', `${refused}`)
  }

  /** Replaces an order by one at another price; one in four finds it gone. */
  #replace(): void {
    const old = this.#resting()
    if (old === undefined) return
    const { driver } = this
    const { orders } = driver.clearing
    const { account, slot, generation } = old
    const marketId = orders.marketOf(slot)
    const terms = { side: orders.sideOf(slot), outcome: orders.outcomeOf(slot) }
    const priceTicks = this.#random.between(490, 510)
    const sizeRaw = 1000 * this.#random.between(1, 500_000)
    const postOnly = this.#random.chance(0.3)
    const rests = { type: 'GTC', stp: this.#random.below(3), postOnly } as const
    const wanted = { account, marketId, ...terms, priceTicks, sizeRaw, ...rests }
    const filledRaw = orders.filledSharesRawOf(slot)
    const seenFilledRaw = this.#random.chance(0.5) ? null : this.#random.below(filledRaw + 1)
    const amended = { slot, generation, seenFilledRaw }
    const isGone = this.#controls.mayCancel && this.#random.chance(0.25)
    const cancels = () => driver.cancelMany(marketId, [old])
    const placed = driver.place(wanted, amended, isGone ? cancels : undefined)
    this.#chain.traded({ marketId, accountId: account, ...terms }, placed)
  }

  /** Cancels an account's orders in a market. One order is named twice; one ended long ago. */
  #cancelAll(): void {
    if (!this.#controls.mayCancel) return
    const marketId = this.#random.pick(this.#tradable())
    const open = this.#cast.open({ marketId, account: this.#random.between(1, TRADERS) })
    if (open.length === 0) return
    const gone = open.map(({ slot, generation }) => ({ slot, generation: generation - 1 }))
    this.driver.cancelMany(marketId, [...open, gone[0], open[0]])
  }

  #adjustBalance(): void {
    const profileId = this.#random.between(1, TRADERS)
    const freeRaw = this.driver.freeRaw(profileId)
    const takes = this.#random.chance(0.4) && freeRaw > 1
    const collateralRaw = takes
      ? -this.#random.between(1, Math.ceil(freeRaw / 4))
      : this.#random.between(1, 9_000_000_000)
    assert.equal(decideAdjust(this.driver.clearing, profileId, collateralRaw), null)
    this.driver.control({ kind: 'adjustBalance', profileId, collateralRaw })
  }

  #createMarket(): void {
    const { clearing, nowMs } = this.driver
    const marketId = clearing.catalogue.lastId + 1
    const changes = {
      slug: `market-${this.#cast.name('of')}`,
      feeEnabled: marketId % 2 === 1,
      deadlineMs: marketId % 3 === 0 ? nowMs + this.#random.below(20 * MINUTE_MS) : null,
      categories: ['Crypto', 'Wetter'].slice(this.#random.below(3)),
      minSizeRaw: this.#random.pick([0, 50_000_000]),
      ...(marketId % 3 === 2 ? { takerDelayMs: this.#random.between(1_000, 15_000) } : {}),
      ...(marketId % 6 === 5 ? { noDelayedCancel: true } : {}),
      ...(marketId % 4 === 1 ? { correlationKey: 'weather' } : {}),
    }
    assert.equal(decideMarkets(clearing, [marketSpec(marketId, changes)]), null)
    this.driver.addMarket(changes)
  }

  /** Locks or resolves one of the oldest markets, with its orders; a new market replaces it. */
  #closeMarket(): void {
    if (this.#random.chance(0.6)) return
    const { catalogue } = this.driver.clearing
    const unresolved = catalogue.all().filter((market) => {
      return market.status !== 'RESOLVED' && isPlain(market)
    })
    const market = unresolved[this.#random.below(2)]
    const { marketId } = market
    if (market.status === 'FUNDED' && this.#random.chance(0.5)) {
      this.driver.control({ kind: 'lockMarket', marketId })
      this.#cast.end('MARKET_LOCKED', marketId, this.#cast.open({ marketId }))
    } else {
      const payoutNumerators = this.#random.pick(PAYOUTS)
      assert.equal(decideResolve(market, payoutNumerators), null)
      this.driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
      this.#cast.end('MARKET_RESOLVED', marketId, this.#cast.open({ marketId }))
    }
    const openPlain = () => this.#tradable().filter((id) => isPlain(catalogue.existing(id)))
    while (openPlain().length < FIRST_MARKETS) this.#createMarket()
  }

  /** A market that is over before anybody traded in it: another market gets its book. */
  #briefMarket(): void {
    this.#createMarket()
    const marketId = this.driver.clearing.catalogue.lastId
    this.driver.control({
      kind: 'resolveMarkets',
      resolutions: [{ marketId, payoutNumerators: [1, 0] }],
    })
  }

  #archive(): void {
    const { clearing } = this.driver
    for (const market of clearing.catalogue.emptied) {
      if (!mayArchive(clearing, market)) continue
      this.driver.control({ kind: 'archiveMarket', marketId: market.marketId })
    }
  }

  #held(): OrderRef[] {
    const { orders } = this.driver.clearing
    return this.#cast.open().filter(({ slot }) => orders.stateOf(slot) === STATE.HELD)
  }

  /** Releases held orders whose delay is over, in markets that still take orders. */
  #releaseDue(): void {
    const { driver } = this
    const { orders, catalogue } = driver.clearing
    if (!mayRelease(driver.clearing, driver.nowMs)) return
    for (const ref of this.#held()) {
      if (orders.held.eligibleMsOf(ref.slot) > driver.nowMs) continue
      if (!takesOrders(catalogue.existing(orders.marketOf(ref.slot)).status)) continue
      const order = driver.releaseOf(ref)
      this.#chain.traded(order, driver.release(ref))
    }
  }

  /** A release that reaches its market after a cancel of the same order. */
  #releaseGone(): void {
    const held = this.#held()
    if (held.length === 0) return
    const ref = this.#random.pick(held)
    const release = this.driver.releaseOf(ref)
    this.driver.cancelMany(release.marketId, [ref])
    this.driver.apply({ ...release, seq: this.driver.clearing.lastSeq + 1 })
  }

  #meetDeadlines(): void {
    const { nowMs } = this.driver
    const { catalogue, orders } = this.driver.clearing
    for (const { marketId, status, deadlineMs } of catalogue.all()) {
      if (takesOrders(status) && deadlineMs !== null && deadlineMs <= nowMs) {
        this.driver.control({ kind: 'lockMarket', marketId })
        this.#cast.end('MARKET_LOCKED', marketId, this.#cast.open({ marketId }))
      }
      const due = this.#cast.open({ marketId }).filter(({ slot }) => {
        const expirationSec = orders.expirationSecOf(slot)
        return expirationSec !== 0 && expiresAtMs(expirationSec) <= nowMs
      })
      this.#cast.end('EXPIRED', marketId, due)
    }
    this.#controls.meetDeadlines()
    this.#series.meetDeadlines()
    this.#packs.meetDeadlines()
    this.#releaseDue()
    while (this.#tradable().length < 2) this.#createMarket()
  }
}

/** An order's tail is not state, but its record carries it: these bytes say whose tail it is. */
function encoded(command: Command): Uint8Array {
  if (command.kind !== 'placeOrder') return encodeCommand(command)
  const part = (bytes: number, salt: number) => new Uint8Array(bytes).fill(command.seq + salt)
  return encodePlace(command, {
    orderHash: part(32, 1),
    salt: part(32, 2),
    maker: part(20, command.accountId),
    signer: part(20, command.accountId),
    signature: part(65, 3),
    signatureType: command.accountId % 3,
    signedFeeBps: command.feeBps,
  })
}
