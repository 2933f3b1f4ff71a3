import assert from 'node:assert/strict'
import { eachHeld, eachResting } from '../../engine/core/book/market.ts'
import type { Command } from '../../engine/domain/command.ts'
import { FEE_ACCOUNT } from '../../engine/domain/ids.ts'
import { type OrderType, OUTCOME, SIDE, STP_POLICIES } from '../../engine/domain/order.ts'
import { ExchangeDriver, type OrderRef, type Placed, type Wanted } from './exchange-driver.ts'
import { noteProgress } from './progress.ts'
import { Random } from './random.ts'
import {
  type SlowAnswer,
  SlowExchange,
  type SlowRequest,
  type SlowToken,
} from './reference-book.ts'

// Sends a random flow of commands to the engine and to the slow exchange, and compares each step.

const ACCOUNTS = 6
const RANK_BPS = [300, 250, 100, 1000, 1, 0]
const TOKENS: readonly SlowToken[] = ['yes', 'no']
/** Each type is as frequent as it stands here. */
const LIMIT_TYPES: readonly OrderType[] = ['GTC', 'GTC', 'GTC', 'GTC', 'FAK', 'FOK']
const ENDS = {
  RESTED: 'rested',
  FILLED: 'filled',
  KILLED: 'killed',
  STP_STOPPED: 'stopped',
  WOULD_CROSS: 'would cross',
  CANCELS_DONE: '',
  HELD: 'held',
  GONE: 'gone',
  NOT_PLACED: 'not placed',
} as const
/** Above this many resting orders a flow cancels many, because the slow exchange scans them all. */
const CROWD = 90
const DELAY_MS = 500

interface Known extends OrderRef {
  id: number
  account: number
  marketId: number
  wanted: Wanted
}

const wholeSteps = (raw: number) => Math.max(0, Math.floor(raw / 1000) * 1000)

export class ModelFlow {
  readonly driver = new ExchangeDriver(2048)
  readonly #slow = new SlowExchange()
  readonly #random: Random
  readonly #markets: number[] = []
  /** Orders that rested or were held lately, dead ones too: to cancel either does no harm. */
  #known: Known[] = []
  /** Orders that were held and are not released yet. */
  #held: Known[] = []
  readonly #idOfSlot = new Map<number, number>()
  #ids = 0
  /** Half the width of the band of prices around 0.500 in which the flow trades. */
  readonly #band: number
  readonly #sizeMax: number
  steps = 0
  fills = 0
  releases = 0
  amends = 0
  lastAct = ''

  constructor(seed: number, onCommand: (command: Command) => void = () => {}) {
    this.driver.onCommand = onCommand
    this.#random = new Random(seed)
    const random = this.#random
    this.#band = random.pick([4, 30, 60, 60, 499])
    this.#sizeMax = random.pick([20, 2_000, 1_000_000, 10_000_000_000])
    const eachRaw = this.#sizeMax * 1000 * random.pick([3, 20, 100])
    for (let account = 1; account <= ACCOUNTS; account++) {
      const collateralRaw = Math.min(eachRaw, 1_000_000_000_000_000)
      const rank = { id: account, name: 'Any', feeRateBps: RANK_BPS[account - 1] }
      this.driver.addAccount(collateralRaw, { rank })
      this.#slow.deposit(account, BigInt(collateralRaw))
    }
    for (const feeEnabled of [true, false, true]) {
      const takerDelayMs = this.#markets.length === 2 ? DELAY_MS : 0
      this.#markets.push(this.driver.addMarket({ feeEnabled, takerDelayMs }))
    }
  }

  step(): void {
    noteProgress()
    this.steps++
    const resting = this.#slow.resting.length
    const dice = this.#random.next()
    if (resting > CROWD && dice < 0.3) this.#cancelMany(20)
    else if (dice < 0.3) this.#cancelOne()
    else if (dice < 0.32) this.#cancelMany(5)
    else if (dice < 0.38) this.#release()
    else if (dice < 0.42) this.#decrease()
    else if (dice < 0.48) this.#replace()
    else this.#place()
  }

  #wanted(): Wanted {
    const random = this.#random
    const marketForm = random.chance(0.12)
    const type = marketForm ? 'FOK' : random.pick(LIMIT_TYPES)
    const account = random.between(1, ACCOUNTS)
    const marketId = random.pick(this.#markets)
    const outcome = random.below(2)
    const side = this.#side(account, marketId, outcome)
    const wanted: Wanted = {
      account,
      marketId,
      side,
      outcome,
      type,
      stp: random.below(3),
      postOnly: type === 'GTC' && random.chance(0.15),
      hash: ++this.#ids,
    }
    if (marketForm && side === SIDE.BUY) wanted.spendRaw = this.#oddRaw()
    else if (marketForm) wanted.sizeRaw = this.#oddRaw()
    else {
      wanted.priceTicks = this.#ticks()
      wanted.sizeRaw = 1000 * Math.max(1, random.chance(0.1) ? 1 : random.spread(this.#sizeMax))
    }
    return wanted
  }

  /** Sells often when the account has shares; some sells ask for too much on purpose. */
  #side(account: number, marketId: number, outcome: number): number {
    const holds = this.driver.sharesRaw(account, marketId, outcome) > 0
    return this.#random.chance(holds ? 0.5 : 0.02) ? SIDE.SELL : SIDE.BUY
  }

  #ticks(): number {
    const random = this.#random
    if (this.#band === 499 && random.chance(0.1)) return random.pick([1, 999])
    return random.between(500 - this.#band, 500 + this.#band)
  }

  #oddRaw(): number {
    const random = this.#random
    return Math.max(1, random.spread(this.#sizeMax * random.pick([1, 1, 1000])))
  }

  #place(): void {
    const wanted = this.#wanted()
    const before = this.#random.chance(0.01) ? this.#repeat(wanted) : false
    this.lastAct = JSON.stringify(wanted)
    const placed = this.driver.place(wanted)
    if (before && placed.refused === 'DUPLICATE_ORDER') return
    this.#compareAll(wanted, placed, this.#slow.place(this.#slowOf(wanted)))
  }

  #slowOf(wanted: Wanted): SlowRequest {
    const feeBps = this.driver.clearing.catalogue.existing(wanted.marketId).feeEnabled
      ? RANK_BPS[wanted.account - 1]
      : 0
    return {
      id: this.#ids,
      market: wanted.marketId,
      owner: wanted.account,
      side: wanted.side === SIDE.BUY ? 'buy' : 'sell',
      token: TOKENS[wanted.outcome],
      type: wanted.type,
      price: wanted.priceTicks === undefined ? null : BigInt(wanted.priceTicks) * 1000n,
      shares: BigInt(wanted.sizeRaw ?? 0),
      spend: BigInt(wanted.spendRaw ?? 0),
      postOnly: wanted.postOnly ?? false,
      policy: STP_POLICIES[wanted.stp ?? 0],
      feeBps: BigInt(feeBps),
      delayed: this.#delays(wanted.marketId) && wanted.postOnly !== true,
    }
  }

  #compareAll(wanted: Wanted, placed: Placed, answer: SlowAnswer): void {
    this.#compareAnswer(wanted, placed, answer)
    this.#remember(wanted, placed, answer)
    this.#compareOwners([FEE_ACCOUNT, ...answer.owners], wanted.marketId)
    this.#compareBook(wanted.marketId)
  }

  /** Reuses the hash of an order that still rests, so the new order can only be refused. */
  #repeat(wanted: Wanted): boolean {
    const live = this.#slow.resting.at(-1)
    if (live === undefined) return false
    wanted.hash = live.id
    return true
  }

  #compareAnswer(wanted: Wanted, placed: Placed, answer: SlowAnswer): void {
    if (answer.end === 'short') {
      const name = wanted.side === SIDE.BUY ? 'INSUFFICIENT_COLLATERAL' : 'INSUFFICIENT_SHARES'
      assert.equal(placed.refused, name)
      return
    }
    assert.equal(placed.refused, null)
    assert.equal(placed.result === null ? null : ENDS[placed.result], answer.end, 'the end')
    const makers = placed.makers.map((maker) => [this.#idOfSlot.get(maker.slot), maker.sizeRaw])
    const slow = answer.fills.map((fill) => [fill.maker, Number(fill.shares)])
    assert.equal(String(makers), String(slow), 'the fills')
    const closed = placed.makers.map((maker) => [maker.leftRaw, maker.closed])
    const slowClosed = answer.fills.map((fill) => [Number(fill.left), fill.closed])
    assert.equal(String(closed), String(slowClosed), 'what the fills left')
    const cancels = placed.stpCancels.map((slot) => this.#idOfSlot.get(slot))
    assert.equal(String(cancels), String(answer.cancelled), 'the own makers cancelled')
    assert.equal(BigInt(placed.filledRaw), answer.shares, 'shares')
    assert.equal(BigInt(placed.collateralRaw), answer.collateral, 'collateral')
    if (answer.shares > 0n) assert.equal(BigInt(placed.feeRaw), answer.fee, 'fee')
    this.fills += answer.fills.length
  }

  #remember(wanted: Wanted, placed: Placed, answer: SlowAnswer): void {
    if (answer.end !== 'rested' && answer.end !== 'held') return
    this.#idOfSlot.set(placed.slot, this.#ids)
    const { slot, generation } = placed
    const { account, marketId } = wanted
    const known = { id: this.#ids, account, marketId, slot, generation, wanted }
    this.#known.push(known)
    if (answer.end === 'held') this.#held.push(known)
    if (this.#known.length > 400) this.#known = this.#known.slice(200)
  }

  #delays(marketId: number): boolean {
    return this.driver.clearing.catalogue.existing(marketId).takerDelayMs > 0
  }

  /** Releases an order that was held; it may be canceled meanwhile. */
  #release(): void {
    const at = this.#random.below(Math.max(1, this.#held.length))
    const [order] = this.#held.splice(at, 1)
    if (order === undefined) return
    this.lastAct = `release ${JSON.stringify(order)}`
    const isHeld = this.#slow.held.some(({ id }) => id === order.id)
    const released = this.driver.release(order)
    const answer = this.#slow.release(order.id)
    assert.equal(answer !== null, isHeld)
    if (answer === null) {
      assert.equal(released.result, 'GONE', 'a canceled order is not released')
      return
    }
    this.releases++
    this.#compareAnswer(order.wanted, released, answer)
    this.#compareOwners([FEE_ACCOUNT, ...answer.owners], order.marketId)
    this.#compareBook(order.marketId)
  }

  /** Takes shares off an order; sometimes as if its owner had not seen all of its fills. */
  #decrease(): void {
    const order = this.#anyKnown()
    if (order === undefined) return
    const { openRaw, unseenRaw, amended } = this.#seen(order)
    const sizeRaw = 1000 * this.#random.below(Math.ceil(openRaw / 1000) + 2)
    this.lastAct = `decrease ${JSON.stringify(order)} to ${sizeRaw}`
    const refusal = this.driver.decrease(order.account, amended, sizeRaw)
    const byRaw = openRaw - wholeSteps(sizeRaw - unseenRaw)
    if (!this.#slow.isOpen(order.id)) assert.equal(refusal, 'ORDER_NOT_OPEN')
    else if (order.wanted.type !== 'GTC') assert.equal(refusal, 'AMEND_NOT_RESTING')
    else if (byRaw <= 0) assert.equal(refusal, 'AMEND_NOT_SMALLER')
    else {
      assert.equal(refusal, null)
      assert(this.#slow.decrease(order.id, BigInt(byRaw)), 'the order is open')
      this.amends++
      const left = Number(this.#slow.openOf(order.id))
      for (const held of this.#held) if (held.id === order.id) held.wanted.sizeRaw = left
    }
    this.#compareOwners([order.account], order.marketId)
    this.#compareBook(order.marketId)
  }

  /** Replaces an order by one at another price or of another size, or of another kind. */
  #replace(): void {
    const random = this.#random
    const order = this.#anyKnown()
    if (order === undefined) return
    const { unseenRaw, amended } = this.#seen(order)
    const wanted: Wanted = { ...order.wanted, hash: ++this.#ids, postOnly: random.chance(0.2) }
    if (wanted.priceTicks !== undefined) {
      wanted.priceTicks = random.chance(0.2) ? wanted.priceTicks : this.#ticks()
      wanted.sizeRaw = 1000 * Math.max(1, random.spread(this.#sizeMax))
    }
    if (wanted.type !== 'GTC') wanted.postOnly = false
    if (random.chance(0.03)) wanted.outcome = 1 - wanted.outcome
    this.lastAct = `replace ${JSON.stringify(order)} by ${JSON.stringify(wanted)}`
    const placed = this.driver.place(wanted, amended)
    const isAlike = wanted.outcome === order.wanted.outcome
    if (!this.#slow.isOpen(order.id)) assert.equal(placed.refused, 'ORDER_NOT_OPEN')
    else if (wanted.type !== 'GTC') assert.equal(placed.refused, 'AMEND_NOT_RESTING')
    else if (!isAlike) assert.equal(placed.refused, 'AMEND_DIFFERS')
    else this.#compareReplaced(wanted, placed, { id: order.id, unseenRaw })
  }

  #compareReplaced(wanted: Wanted, placed: Placed, old: { id: number; unseenRaw: number }): void {
    const request = this.#slowOf(wanted)
    const wantRaw = wholeSteps((wanted.sizeRaw ?? 0) - old.unseenRaw)
    const replaced = this.#slow.replacing(request, old.id, BigInt(wantRaw))
    if (!this.#slow.reserveBeyond(request, replaced)) {
      const name = wanted.side === SIDE.BUY ? 'INSUFFICIENT_COLLATERAL' : 'INSUFFICIENT_SHARES'
      assert.equal(placed.refused, name)
      return
    }
    this.amends++
    const answer = this.#slow.replace(request, replaced)
    this.#compareAll({ ...wanted, sizeRaw: wantRaw }, placed, answer)
  }

  #anyKnown(): Known | undefined {
    return this.#known.length === 0 ? undefined : this.#random.pick(this.#known)
  }

  /** What the order has open, and fills that its owner pretends not to have seen. */
  #seen({ id, slot, generation }: Known) {
    const { orders } = this.driver.clearing
    const openRaw = Number(this.#slow.openOf(id))
    const filledRaw = openRaw === 0 ? 0 : orders.filledSharesRawOf(slot)
    const seenFilledRaw = this.#random.chance(0.5) ? null : this.#random.below(filledRaw + 1)
    const unseenRaw = seenFilledRaw === null ? 0 : filledRaw - seenFilledRaw
    return { openRaw, unseenRaw, amended: { slot, generation, seenFilledRaw } }
  }

  #cancelOne(): void {
    if (this.#known.length === 0) return
    const order = this.#random.pick(this.#known)
    this.lastAct = `cancel ${JSON.stringify(order)}`
    const refusal = this.driver.cancel(order.account, order)
    assert.equal(refusal, this.#slow.cancel(order.id) ? null : 'ORDER_NOT_OPEN')
    this.#compareOwners([order.account], order.marketId)
    this.#compareBook(order.marketId)
  }

  /** Cancels past the gate, with orders that are gone and orders named twice. */
  #cancelMany(count: number): void {
    const marketId = this.#random.pick(this.#markets)
    const mine = this.#known.filter((order) => order.marketId === marketId)
    if (mine.length === 0) return
    const named = Array.from({ length: count }, () => this.#random.pick(mine))
    this.lastAct = `cancel many ${JSON.stringify(named)}`
    const gone = named.filter((order) => this.#slow.cancel(order.id)).map((order) => order.slot)
    assert.equal(String(this.driver.cancelMany(marketId, named)), String(gone))
    this.#compareOwners(new Set(named.map((order) => order.account)), marketId)
    this.#compareBook(marketId)
  }

  #compareOwners(owners: Iterable<number>, marketId: number): void {
    const { driver } = this
    for (const owner of owners) {
      const cash = this.#slow.cash(owner)
      assert.equal(driver.freeRaw(owner), Number(cash.free), 'free collateral')
      assert.equal(driver.reservedRaw(owner), Number(cash.locked), 'locked collateral')
      for (const outcome of [OUTCOME.YES, OUTCOME.NO]) {
        const purse = this.#slow.shares(owner, marketId, TOKENS[outcome])
        const reservedRaw = driver.sharesReservedRaw(owner, marketId, outcome)
        assert.equal(driver.sharesRaw(owner, marketId, outcome), Number(purse.free), 'free shares')
        assert.equal(reservedRaw, Number(purse.locked), 'locked shares')
      }
    }
  }

  #compareBook(marketId: number): void {
    const { book } = this.driver.clearing.catalogue.existing(marketId)
    const slow = this.#slow.book(marketId)
    let at = 0
    eachResting(book, (ticks, slot, _owner, leftRaw) => {
      const line = slow[at++]
      const same =
        line?.ticks === ticks && line.left === leftRaw && line.id === this.#idOfSlot.get(slot)
      assert(same, `line ${at} of the book of market ${marketId}`)
    })
    assert.equal(at, slow.length, 'lines of the book')
    const held: (number | undefined)[] = []
    eachHeld(book, (_ticks, slot) => held.push(this.#idOfSlot.get(slot)))
    const slowHeld = this.#slow.held.filter(({ market }) => market === marketId)
    assert.equal(String(held), String(slowHeld.map(({ id }) => id)), 'held orders in sequence')
  }

  compareEverything(): void {
    const { driver } = this
    driver.holds()
    const profiles = Array.from({ length: ACCOUNTS }, (_each, index) => index + 1)
    const owners = [FEE_ACCOUNT, ...profiles]
    for (const marketId of this.#markets) {
      this.#compareOwners(owners, marketId)
      this.#compareBook(marketId)
      const insideRaw = driver.clearing.catalogue.existing(marketId).conditionRaw
      assert.equal(BigInt(insideRaw), this.#slow.inside(marketId), 'inside the condition')
      this.#compareOpenSize(marketId)
    }
    const openCount = this.#slow.resting.length + this.#slow.held.length
    assert.equal(driver.clearing.orders.live.all, openCount, 'open orders')
    assert.equal(BigInt(driver.clearing.ledger.fundedRaw), this.#slow.deposits)
  }

  #compareOpenSize(marketId: number): void {
    const lines = this.#slow.book(marketId)
    const held = this.#slow.held.filter(({ market }) => market === marketId)
    const heldRaw = held.reduce((sum, { shares }) => sum + Number(shares), 0)
    const openRaw = lines.reduce((sum, line) => sum + line.left, heldRaw)
    const market = this.driver.clearing.catalogue.existing(marketId)
    assert.equal(market.openSizeRaw, openRaw, 'open size of the market')
    const bids = this.driver.book(marketId).bids[0]?.ticks ?? 0
    const asks = this.driver.book(marketId).asks[0]?.ticks ?? 1000
    assert(bids < asks, 'a book is never crossed')
  }
}
