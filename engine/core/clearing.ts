// Hot path. bench/core.bench.ts
// The part of the exchange that main owns: accounts, markets, money and open orders. `admit`
// applies a decided command; `settle` applies its market's answer. The other part is
// core/book/market.ts. Neither ever refuses: the gates are in decide.ts.

import { assert } from '../domain/assert.ts'
import type {
  CancelOrders,
  Command,
  ControlCommand,
  DecreaseOrder,
  PlaceOrder,
  ReleaseOrder,
  Resolution,
  Stamp,
} from '../domain/command.ts'
import { type CommandOf, isOf } from '../domain/command-kinds.ts'
import {
  EVENT,
  eventAt,
  eventCode,
  eventKind,
  eventLeftRaw,
  eventSeq,
  eventSizeRaw,
  eventSlot,
  eventTakerSlot,
  eventTicks,
  MAKER,
  RESULT,
} from '../domain/event.ts'
import type { MarketId, PositionRow, ProfileId, Seq } from '../domain/ids.ts'
import { marksByTrade } from '../domain/markets/mark.ts'
import { takesOrders } from '../domain/markets/market.ts'
import { SIDE } from '../domain/order.ts'
import { addTo, type TimeMs } from '../domain/units.ts'
import { applyToAccounts } from './accounts/account-commands.ts'
import { Accounts } from './accounts/accounts.ts'
import { FrozenProfiles } from './accounts/frozen.ts'
import { Operators } from './accounts/operators.ts'
import { Pools } from './amm/pools.ts'
import { Catalogue, type Market } from './markets/catalogue.ts'
import { Heartbeats } from './markets/heartbeats.ts'
import {
  applyToMarkets,
  archiveMarket,
  failSlot,
  resolveMarket,
} from './markets/market-commands.ts'
import { MarketPages } from './markets/market-pages.ts'
import { Oracle } from './markets/oracle.ts'
import { PropertyKeys } from './markets/property-keys.ts'
import { SeriesTable } from './markets/series-table.ts'
import { TradingModes } from './markets/trading-mode.ts'
import { Blocks } from './money/blocks.ts'
import { ChainFunds } from './money/chain-funds.ts'
import { ChainTransactions } from './money/chain-transactions.ts'
import {
  freeBeyond,
  freeReserve,
  handReserve,
  makerGainRaw,
  settleFill,
  settleProceeds,
  takerGainRaw,
} from './money/fill-money.ts'
import { Ledger } from './money/ledger.ts'
import { OpenSizes } from './money/open-sizes.ts'
import { Reversals } from './money/reversal.ts'
import { UnminedProceeds } from './money/unmined.ts'
import { MadeCalls } from './moves/made-calls.ts'
import { applyMove } from './moves/move-commands.ts'
import { AmendsInFlight } from './orders/amends-in-flight.ts'
import { OrderGroups } from './orders/order-groups.ts'
import { OrderTable, STATE } from './orders/order-table.ts'
import { type SeenOrder, SeenOrders } from './orders/seen-orders.ts'
import { Packs } from './packs/packs.ts'
import { Rewards } from './rewards/rewards.ts'
import { Social } from './social/social.ts'
import { Matches } from './sports/matches.ts'

/**
 * The rules by which this version decides. A `rules` command in the journal records the version in
 * force.
 */
export const RULES_VERSION = 1

const { CANCELED, DECREASED, DONE, FILL, NOT_OPEN, STP_CANCEL } = EVENT
const { CLOSED } = MAKER
const { FILLED, HELD, KILLED, NOT_PLACED, RESTED, WOULD_CROSS } = RESULT
const { FREE, IN_FLIGHT } = STATE
const { BUY } = SIDE

/** Slots: some milliseconds. */
const KEPT_PER_STEP = 1 << 14

const arrived: SeenOrder = { seq: 0, accountId: 0, hashHigh: 0, hashLow: 0, clientOrderId: '' }
const legs = { taker: 0, maker: 0, ticks: 0, sharesRaw: 0, closed: false }

export class Clearing {
  readonly accounts = new Accounts()
  readonly catalogue = new Catalogue()
  readonly series = new SeriesTable()
  readonly oracle = new Oracle()
  readonly ledger = new Ledger()
  readonly blocks = new Blocks()
  readonly transactions = new ChainTransactions()
  readonly chainFunds = new ChainFunds()
  readonly reversals = new Reversals()
  readonly unmined = new UnminedProceeds()
  readonly calls = new MadeCalls(this.accounts.partners.shareOwnerOf)
  readonly pools = new Pools(this.accounts.partners.shareOwnerOf)
  readonly rewards = new Rewards(this.accounts.partners.shareOwnerOf)
  readonly packs = new Packs(this.accounts.partners.shareOwnerOf)
  readonly orders: OrderTable
  readonly amending = new AmendsInFlight()
  readonly orderGroups = new OrderGroups(this.accounts.partners.shareOwnerOf)
  readonly seen = new SeenOrders()
  readonly modes = new TradingModes()
  readonly heartbeats = new Heartbeats()
  readonly frozen = new FrozenProfiles()
  readonly operators = new Operators()
  readonly pages = new MarketPages()
  readonly properties = new PropertyKeys()
  readonly matches = new Matches()
  readonly social = new Social(this.accounts.partners.shareOwnerOf)
  readonly openSizes = new OpenSizes()
  lastSeq: Seq = 0
  lastNowMs: TimeMs = 0
  rulesVersion = 0
  /** Fee of the last settled trade (at its DONE): shares for a buy, collateral for a sell. */
  lastFeeRaw = 0

  constructor(orders: OrderTable = new OrderTable()) {
    this.orders = orders
    const { shareOwners } = this.accounts.partners
    for (const each of [orders.live, this.ledger.rows.live, this.openSizes])
      each.owners = shareOwners
  }

  /**
   * Applies a decided command: all changes that precede its market's answer. Callers that know the
   * kind call its method directly, because reading `kind` from any of twenty shapes is slow.
   */
  admit(command: Command): void {
    if (command.kind === 'placeOrder') this.admitOrder(command)
    else if (command.kind === 'cancelOrders') this.admitCancel(command)
    else if (command.kind === 'releaseOrder') this.admitRelease(command)
    else if (command.kind === 'decreaseOrder') this.admitDecrease(command)
    else this.admitControl(command)
  }

  admitCancel(cancel: CancelOrders): void {
    this.#stamp(cancel)
  }

  admitDecrease(decrease: DecreaseOrder): void {
    this.#stamp(decrease)
    const { slot, generation } = decrease
    if (this.orders.isLive(slot, generation)) this.amending.decreasing(slot)
  }

  /** A release has no effect if its order was canceled before it reached the market. */
  admitRelease(release: ReleaseOrder): void {
    this.#stamp(release)
    this.orders.releasing(release.slot, release.generation)
    if (this.orderGroups.count > 0) this.orderGroups.arriving(release, this.orders)
  }

  admitControl(command: ControlCommand): void {
    this.#stamp({ seq: command.seq, nowMs: command.nowMs })
    this.accounts.expire(command.nowMs)
    this.calls.expire(command.nowMs)
    this.#applyControl(command)
  }

  // Passed as an object: V8 boxes a separate time argument where it does not inline.
  #stamp({ seq, nowMs }: Stamp): void {
    assert(seq === this.lastSeq + 1, 'commands come without a gap')
    assert(nowMs >= this.lastNowMs, 'time never goes back')
    this.lastSeq = seq
    this.lastNowMs = nowMs
  }

  admitOrder(order: PlaceOrder): void {
    this.#stamp(order)
    const market = this.catalogue.ofBook(order.book)
    assert(market.marketId === order.marketId, 'an order enters the book of its market')
    const row = this.ledger.rowFor(order.accountId, market)
    if (order.side === BUY) {
      this.ledger.reserveCollateral(order)
    } else {
      this.ledger.reserveShares(row, order)
    }
    this.orders.admit(order, row)
    const { replacedSlot, replacedGeneration } = order
    if (replacedSlot !== 0 && this.orders.isLive(replacedSlot, replacedGeneration)) {
      this.amending.replacing(replacedSlot, order.slot)
    }
    if (this.orderGroups.count > 0) this.#admitToGroup(order)
    this.seen.admit(order)
    this.openSizes.opened(this.orders, order.slot, market)
  }

  #admitToGroup(order: PlaceOrder): void {
    this.orderGroups.arriving(order, this.orders)
    if (order.orderGroup !== 0) this.orderGroups.admitted(order)
  }

  /** Each family answers for its own kinds; a family that is missing here does not compile. */
  #applyControl(command: ControlCommand): void {
    if (isOf('accounts', command)) this.#applyToAccounts(command)
    else if (isOf('markets', command)) this.#applyToMarkets(command)
    else if (isOf('moves', command)) applyMove(this, command, this.#freeRow)
    else if (isOf('settlement', command)) this.#applyToBlocks(command)
    else if (isOf('transactions', command)) this.chainFunds.made(this.transactions.apply(command))
    else if (isOf('rewards', command)) this.rewards.apply(command, this, this.#freeRow)
    else if (isOf('packs', command)) this.packs.apply(command, this)
    else if (isOf('matches', command)) this.matches.apply(command)
    else if (isOf('social', command)) this.social.apply(command)
    else if (isOf('heartbeats', command)) this.heartbeats.apply(command)
    else if (isOf('orderGroups', command)) this.orderGroups.apply(command)
    else if (isOf('modes', command)) this.modes.apply(command)
    else if (isOf('freezes', command)) this.frozen.apply(command)
    else if (isOf('operators', command)) this.operators.apply(command)
    else if (isOf('pages', command)) this.pages.apply(command)
    else if (isOf('properties', command)) this.properties.apply(command)
    else if (isOf('exchange', command)) this.#applyToExchange(command)
    else command satisfies never
  }

  #applyToExchange(command: CommandOf<'exchange'>): void {
    switch (command.kind) {
      case 'rules':
        assert(command.version <= RULES_VERSION, 'the rules of this journal are known')
        this.rulesVersion = command.version
        return
      case 'setAdminToken':
        this.accounts.adminTokenDigest = command.tokenDigest
        return
      case 'adjustBalance':
        this.#adjust(command)
        return
      default:
        command satisfies never
    }
  }

  #applyToAccounts(command: CommandOf<'accounts'>): void {
    if (command.kind === 'leavePartner') this.#leavePartner(command.profileId)
    else applyToAccounts(this, command)
  }

  #applyToMarkets(command: CommandOf<'markets'>): void {
    switch (command.kind) {
      case 'resolveMarkets':
        for (const each of command.resolutions) this.#resolve(each, command.nowMs)
        return
      case 'failSlot':
        this.#ended(failSlot(this, command.marketId, command.nowMs))
        return
      case 'postPayouts':
        this.#paidOut(command)
        return
      case 'archiveMarket':
        this.#archive(command.marketId)
        return
      default:
        applyToMarkets(this, command)
    }
  }

  #adjust({ profileId, collateralRaw }: Extract<ControlCommand, { kind: 'adjustBalance' }>): void {
    if (collateralRaw > 0) this.ledger.deposit(profileId, collateralRaw)
    else this.ledger.withdraw(profileId, -collateralRaw)
  }

  #applyToBlocks(command: CommandOf<'settlement'>): void {
    if (command.kind === 'failSettlement') this.#reverse(command)
    this.blocks.apply(command)
    switch (command.kind) {
      case 'mineBlock':
        this.pools.mined(command.throughSeq)
        this.unmined.mined(this.blocks)
        return
      case 'settleTrade':
        this.unmined.ended(command.tradeSeq)
        return
      case 'failSettlement':
        if (command.fillsLeft === undefined) this.unmined.ended(command.tradeSeq)
    }
  }

  /** The sub-account's rows in shared tables no longer count for its partner. */
  #leavePartner(profileId: ProfileId): void {
    const { accounts, orders, ledger, calls, pools, packs, rewards, social, orderGroups } = this
    const move = accounts.partners.leave(profileId)
    for (const counts of [
      orders.live,
      ledger.rows.live,
      accounts.tokenOwners,
      accounts.withdrawalAddresses.owners,
      calls.owners,
      pools.approvers,
      pools.traders,
      packs.owners,
      packs.makers,
      rewards.shareParts.owners,
      social.follows.owners,
      social.bookmarks.owners,
      orderGroups.owners,
    ]) {
      counts.moved(move)
    }
    this.openSizes.moved(move, ledger.rows)
  }

  #reverse(reversal: Extract<ControlCommand, { kind: 'failSettlement' }>): void {
    this.reversals.apply(this.ledger, (id) => this.catalogue.existing(id), reversal)
    for (const { accountId, marketId } of reversal.legs) {
      const row = this.ledger.rows.find(accountId, marketId)
      if (row !== 0) this.#freeRowIfUnused(row, this.catalogue.existing(marketId))
    }
  }

  #resolve(resolution: Resolution, nowMs: TimeMs): void {
    this.packs.resolved(resolution.marketId)
    this.#ended(resolveMarket(this, resolution, nowMs))
  }

  #paidOut(posted: Extract<ControlCommand, { kind: 'postPayouts' }>): void {
    applyToMarkets(this, posted)
    for (const marketId of posted.marketIds) {
      this.rewards.paidOut(this.catalogue.existing(marketId), posted.nowMs)
    }
  }

  #archive(marketId: MarketId): void {
    const market = this.catalogue.existing(marketId)
    assert(!this.rewards.shareParts.has(marketId), 'no part of a fee waits for a payout')
    assert(this.blocks.holdsAllThrough(market.lastTradeSeq), 'blocks hold every trade')
    archiveMarket(this, market)
    this.pools.forget(marketId)
    this.reversals.forget(marketId)
    this.matches.marketGone(marketId)
  }

  readonly #freeRow = (row: PositionRow, market: Market) => this.#freeRowIfUnused(row, market)

  #freeRowIfUnused(row: PositionRow, market: Market): void {
    if (this.orders.firstOfRow(row) === 0) this.ledger.freeRowIfEmpty(row, market)
    if (market.status === 'RESOLVED' || market.isFailed) this.#ended(market)
  }

  /** Releases what a finished market no longer needs. */
  #ended(market: Market): void {
    const { book, status } = market
    if (takesOrders(status)) return
    if (book !== 0 && this.orders.rowsOfBook.firstOf(book) === 0) this.catalogue.closeBook(market)
    this.catalogue.noteEmptied(market)
  }

  /**
   * Settles `count` records of a market's answer. The first one starts at byte `at` of both views.
   */
  settle(words: Int32Array, f64s: Float64Array, at: number, count: number): void {
    for (let record = 0; record < count; record++) {
      this.settleRecord(words, f64s, eventAt(at, record))
    }
  }

  /** Settles the record at `event`. */
  settleRecord(words: Int32Array, f64s: Float64Array, event: number): void {
    const slot = eventSlot(words, event)
    const kind = eventKind(words, event)
    switch (kind) {
      case FILL:
        legs.taker = eventTakerSlot(words, event)
        legs.maker = slot
        legs.ticks = eventTicks(words, event)
        legs.sharesRaw = eventSizeRaw(f64s, event)
        legs.closed = eventCode(words, event) === CLOSED
        this.#settleFill(eventSeq(f64s, event))
        return
      case CANCELED:
        this.#canceled(slot, eventTakerSlot(words, event), eventSizeRaw(f64s, event))
        return
      case STP_CANCEL:
        this.#end(slot, this.catalogue.ofBook(this.orders.bookOf(slot)), false)
        return
      case DECREASED:
        this.amending.ended(slot)
        this.#cut(slot, eventLeftRaw(f64s, event))
        return
      case DONE:
        if (slot !== 0) this.#done(slot, eventCode(words, event), eventSeq(f64s, event))
        return
      case NOT_OPEN:
        return
      default:
        kind satisfies never
    }
  }

  /** `leftRaw` is what the order that replaces it may trade. */
  #canceled(slot: number, replacement: number, leftRaw: number): void {
    if (replacement !== 0) handReserve(this.orders, slot, replacement, leftRaw)
    this.#end(slot, this.catalogue.ofBook(this.orders.bookOf(slot)), false)
    if (replacement !== 0) this.#cut(replacement, leftRaw)
  }

  /** The order in the slot has `leftRaw` open shares and reserves what these need. */
  #cut(slot: number, leftRaw: number): void {
    const { orders, ledger, openSizes } = this
    const market = this.catalogue.ofBook(orders.bookOf(slot))
    const byRaw = orders.leftRawOf(slot) - leftRaw
    openSizes.cut(orders, slot, market, byRaw)
    orders.cut(slot, byRaw)
    freeBeyond(ledger, orders, slot)
  }

  #settleFill(tradeSeq: Seq): void {
    const market = this.catalogue.ofBook(this.orders.bookOf(legs.maker))
    const valueRaw = settleFill(this.ledger, this.orders, market, legs)
    addTo(market.volume, valueRaw)
    const makerId = this.orders.accountOf(legs.maker)
    this.unmined.add(tradeSeq, makerId, makerGainRaw(this.orders, legs, valueRaw))
    market.lastTradeSeq = tradeSeq
    market.lastYesTicks = legs.ticks
    if (marksByTrade(legs.sharesRaw)) market.markYesTicks = legs.ticks
    this.openSizes.filled(this.orders, market, legs)
    if (this.orderGroups.count > 0) this.orderGroups.filled(legs, this.orders, tradeSeq)
    if (legs.closed) this.#end(legs.maker, market, true)
  }

  #done(slot: number, result: number, seq: Seq): void {
    this.amending.arrived(slot)
    const market = this.catalogue.ofBook(this.orders.bookOf(slot))
    this.lastFeeRaw = settleProceeds(this.ledger, this.orders, market, slot)
    const gainRaw = takerGainRaw(this.orders, slot, this.lastFeeRaw)
    this.unmined.add(seq, this.orders.accountOf(slot), gainRaw)
    if (result === WOULD_CROSS || result === NOT_PLACED) this.seen.forget(this.#arrived(slot))
    else if (this.seen.isWriter && this.orders.stateOf(slot) === IN_FLIGHT) {
      // Only on arrival: a released order was recorded when it was held.
      this.seen.keep(this.#arrived(slot))
    }
    if (result === RESTED) this.orders.opened(slot)
    else if (result === HELD) this.orders.hold(slot)
    else {
      const isKilled = result === KILLED && this.orders.filledSharesRawOf(slot) > 0
      this.#end(slot, market, result === FILLED || isKilled)
    }
  }

  /**
   * Adds the keys of live orders before `seq` to the filters, which then drop those of ended
   * orders. Commands may be applied between two steps.
   */
  *keepLive(seq: Seq): Generator<undefined, void> {
    const { orders, seen } = this
    for (let slot = 1; slot <= orders.highSlot; slot++) {
      if (slot % KEPT_PER_STEP === 0) yield
      if (orders.stateOf(slot) === FREE || orders.seqOf(slot) >= seq) continue
      seen.keepKey(orders.hashHighOf(slot), orders.hashLowOf(slot))
      const key = orders.clientKeyOf(slot)
      if (key !== null) seen.keepKey(...key)
    }
  }

  /**
   * The fields that identify an order. A refused post-only order leaves no trace, so it may be sent
   * again.
   */
  #arrived(slot: number): SeenOrder {
    const { orders } = this
    arrived.seq = orders.seqOf(slot)
    arrived.accountId = orders.accountOf(slot)
    arrived.hashHigh = orders.hashHighOf(slot)
    arrived.hashLow = orders.hashLowOf(slot)
    arrived.clientOrderId = orders.clientIdOf(slot)
    return arrived
  }

  /** `isMatched`: a killed order that traded counts as matched (rules §5.1). */
  #end(slot: number, market: Market, isMatched: boolean): void {
    const { orders } = this
    this.amending.ended(slot)
    this.orderGroups.ended(slot)
    freeReserve(this.ledger, orders, slot)
    this.openSizes.ended(orders, slot, market)
    const row = orders.rowOf(slot)
    orders.free(slot, isMatched)
    this.#freeRowIfUnused(row, market)
  }
}
