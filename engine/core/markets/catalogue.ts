// Live markets: those that trade, and resolved ones that are still needed (design §10). Their
// history is in the read tables. Ids count from 1, and ids and slugs are never reused. A book
// belongs to one market at a time.
// Invariants: markets are sorted by id; a market that accepts orders has its book.

import { assert } from '../../domain/assert.ts'
import type { Book, MarketId, Seq } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import {
  kindOf,
  type MarketChange,
  type MarketSpec,
  type MarketStatus,
  STATUS_CHANGES,
  takesOrders,
} from '../../domain/markets/market.ts'
import type { CollateralRaw, GrowingSum, PriceE8, PriceTicks, TimeMs } from '../../domain/units.ts'
import { hashedFieldsOf } from '../cells/hashed-fields.ts'
import { type CapturedCategories, Categories } from './categories.ts'

/** The ledger's data of a market. */
export interface MarketFunds {
  readonly marketId: MarketId
  /** Collateral locked behind complete pairs. */
  conditionRaw: CollateralRaw
  /** Shares that reversals took: the condition may lack this much collateral. */
  shortRaw: number
  /** Live position rows. */
  rowCount: number
}

export interface Market extends MarketSpec, MarketFunds {
  /** 0 once closed: the market is resolved and has no live orders. */
  book: Book
  readonly createdMs: TimeMs
  /** 0 = no taker delay. */
  readonly takerDelayMs: number
  updatedMs: TimeMs
  status: MarketStatus
  payoutNumerators: readonly [number, number] | null
  /** Whether the payout is posted, so that positions can be redeemed. */
  isPaidOut: boolean
  /** When the exchange redeems the remaining positions; 0 = never, or not paid out. */
  redeemAtMs: TimeMs
  /** For a slot: the oracle's values at its start and end; 0 while unknown. */
  strikeE8: PriceE8
  closeE8: PriceE8
  /** For a slot: the oracle had no value for its start or end. */
  isFailed: boolean
  /** Collateral of all trades. */
  readonly volume: GrowingSum
  /** YES price of the last trade; 0 before the first. */
  lastYesTicks: PriceTicks
  /** YES price of the last fill large enough for a mark (rules §9.1). */
  markYesTicks: PriceTicks
  /** Identifies the newest trade; 0 before the first. */
  lastTradeSeq: Seq
  /** Size of the live orders. A gate limits it, so that every sum of the book stays exact. */
  openSizeRaw: number
}

export interface CapturedCatalogue {
  /** The newest market id ever assigned. */
  readonly lastId: MarketId
  readonly markets: readonly Market[]
  readonly categories: CapturedCategories
}

/** Addresses that may move the collateral and shares of the market's traders. */
export function venueAddresses({ exchangeAddress, adapterAddress }: MarketSpec): string[] {
  return adapterAddress === null ? [exchangeAddress] : [exchangeAddress, adapterAddress]
}

export class Catalogue {
  readonly #byId = new Map<MarketId, Market>()
  readonly #bySlug = new Map<string, Market>()
  /** By lowercase condition id. */
  readonly #byCondition = new Map<string, Market>()
  readonly #byBook: (Market | undefined)[] = Array(LIMITS.booksMax + 1)
  /** Number of live markets that use each address. */
  readonly #venues = new Map<string, number>()
  readonly #childrenOf = new Map<MarketId, Market[]>()
  /** No free book is lower. */
  #lowestFree: Book = 1
  /** The newest market id ever assigned. */
  lastId: MarketId = 0
  /** Numbers of all categories ever used by markets. */
  readonly categories = new Categories()
  /** Resolved markets that had no positions left when last checked. */
  readonly emptied = new Set<Market>()
  /** Resolved markets without a posted payout. */
  readonly unpaid = new Set<Market>()
  /** Markets with rewards or rebates. */
  readonly rewarded = new Set<Market>()
  /** Payouts posted, and books closed, since this state was created. */
  paidCount = 0
  closedCount = 0

  /** Markets in memory. */
  get count(): number {
    return this.#byId.size
  }

  byId(marketId: MarketId): Market | undefined {
    return this.#byId.get(marketId)
  }

  /** For ids in a journaled command, whose market is always in memory. */
  existing(marketId: MarketId): Market {
    const market = this.#byId.get(marketId)
    assert(market !== undefined, 'the market of a command is in memory')
    return market
  }

  /** The market that has the book now. */
  byBook(book: Book): Market | undefined {
    return this.#byBook[book]
  }

  /** For the book of a live order, which always has a market. */
  ofBook(book: Book): Market {
    const market = this.#byBook[book]
    assert(market !== undefined, 'a live order has an open book')
    return market
  }

  bySlug(slug: string): Market | undefined {
    return this.#bySlug.get(slug)
  }

  /** The children of a group in memory, in order. */
  childrenOf(groupId: MarketId): readonly Market[] {
    return this.#childrenOf.get(groupId) ?? []
  }

  /** Finds by condition id, in any letter case. */
  byCondition(conditionId: string): Market | undefined {
    return this.#byCondition.get(conditionId.toLowerCase())
  }

  /** Exchange and adapter addresses of all markets in memory. */
  get venues(): { has(address: string): boolean; size: number; keys(): Iterable<string> } {
    return this.#venues
  }

  /** By ascending id. */
  all(): readonly Market[] {
    return [...this.#byId.values()]
  }

  /** The books of all markets with one, by ascending market id. */
  openBooks(): Book[] {
    return this.all().flatMap(({ book }) => (book === 0 ? [] : [book]))
  }

  /** The lowest free book up to `booksMax`; 0 if none is free. */
  freeBook(booksMax: number): Book {
    while (this.#byBook[this.#lowestFree] !== undefined) this.#lowestFree++
    return this.#lowestFree <= booksMax ? this.#lowestFree : 0
  }

  /** The lowest free books up to `booksMax`, at most `wanted`. */
  freeBooks(wanted: number, booksMax: number): Book[] {
    const books: Book[] = []
    for (let book = this.freeBook(booksMax); book !== 0 && books.length < wanted; ) {
      if (this.#byBook[book] === undefined) books.push(book)
      book = book < booksMax ? book + 1 : 0
    }
    return books
  }

  create(marketId: MarketId, book: Book, spec: MarketSpec, nowMs: TimeMs): void {
    assert(marketId === this.lastId + 1, 'market ids count from 1')
    assert(!this.#bySlug.has(spec.slug), 'a slug is new')
    this.lastId = marketId
    this.categories.note(spec.categories)
    this.#add({
      ...spec,
      marketId,
      book,
      createdMs: nowMs,
      takerDelayMs: spec.takerDelayMs ?? 0,
      updatedMs: nowMs,
      status: firstStatusOf(spec),
      payoutNumerators: null,
      isPaidOut: false,
      redeemAtMs: 0,
      strikeE8: 0,
      closeE8: 0,
      isFailed: false,
      volume: { raw: 0, carries: 0 },
      lastYesTicks: 0,
      markYesTicks: 0,
      lastTradeSeq: 0,
      openSizeRaw: 0,
      conditionRaw: 0,
      shortRaw: 0,
      rowCount: 0,
    })
  }

  #add(market: Market): void {
    this.#byId.set(market.marketId, market)
    this.#bySlug.set(market.slug, market)
    this.#noteRewarded(market)
    const { conditionId } = market
    if (conditionId !== '') this.#byCondition.set(conditionId.toLowerCase(), market)
    for (const each of venueAddresses(market)) {
      this.#venues.set(each, (this.#venues.get(each) ?? 0) + 1)
    }
    if (market.groupId !== undefined) this.#addChild(this.existing(market.groupId), market)
    if (market.book !== 0) this.#takeBook(market, market.book)
  }

  #addChild(group: Market, child: Market): void {
    const children = [...this.childrenOf(group.marketId), child]
    this.#childrenOf.set(group.marketId, children)
  }

  #takeBook(market: Market, book: Book): void {
    const isFree = book <= LIMITS.booksMax && this.#byBook[book] === undefined
    assert(isFree, 'a new market has a free book')
    this.#byBook[book] = market
    market.book = book
  }

  capture(): CapturedCatalogue {
    const markets = this.all().map((market) => ({ ...market }))
    return { lastId: this.lastId, markets, categories: this.categories.capture() }
  }

  restore({ lastId, markets, categories }: CapturedCatalogue): void {
    assert(this.lastId === 0, 'only a fresh state is restored')
    this.lastId = lastId
    this.categories.restore(categories)
    for (const market of markets) {
      const own = { ...market, volume: { ...market.volume } }
      this.#add(own)
      this.noteEmptied(own)
      this.#noteUnpaid(own)
    }
  }

  change(marketId: MarketId, status: MarketStatus, nowMs: TimeMs): Market {
    const market = this.existing(marketId)
    assert(STATUS_CHANGES[market.status].includes(status), 'a market changes status as listed')
    market.status = status
    market.updatedMs = nowMs
    this.#noteUnpaid(market)
    if (market.groupId !== undefined) this.#groupFollows(this.existing(market.groupId), nowMs)
    return market
  }

  /** A group trades while a child does, and is resolved with its last child. */
  #groupFollows(group: Market, nowMs: TimeMs): void {
    const children = this.childrenOf(group.marketId)
    const isOver = children.every(({ status }) => status === 'RESOLVED')
    const trades = children.some(({ status }) => takesOrders(status))
    const status = isOver ? 'RESOLVED' : trades ? 'FUNDED' : 'LOCKED'
    group.updatedMs = nowMs
    if (group.status === status) return
    group.status = status
    // A group itself has no shares.
    group.isPaidOut = isOver
    this.noteEmptied(group)
  }

  edit(marketId: MarketId, change: MarketChange, nowMs: TimeMs): void {
    const market = this.existing(marketId)
    Object.assign(market, change)
    this.#noteRewarded(market)
    this.categories.note(market.categories)
    market.updatedMs = nowMs
  }

  /** Opens a slot with its book. */
  open(marketId: MarketId, book: Book, strikeE8: PriceE8, nowMs: TimeMs): Market {
    const market = this.change(marketId, 'FUNDED', nowMs)
    this.#takeBook(market, book)
    market.strikeE8 = strikeE8
    return market
  }

  fail(marketId: MarketId, nowMs: TimeMs): Market {
    const market = this.existing(marketId)
    assert(market.slot !== undefined && !market.isFailed, 'only a slot fails, and only once')
    market.isFailed = true
    market.updatedMs = nowMs
    this.noteEmptied(market)
    return market
  }

  paidOut(marketId: MarketId, redeemAtMs: TimeMs = 0): void {
    const market = this.existing(marketId)
    assert(market.status === 'RESOLVED' && !market.isPaidOut, 'a resolved market pays once')
    market.isPaidOut = true
    market.redeemAtMs = redeemAtMs
    this.unpaid.delete(market)
    this.paidCount++
  }

  #noteRewarded(market: Market): void {
    const { dailyRewardRaw = 0, rebateBps = 0 } = market
    if (dailyRewardRaw > 0 || rebateBps > 0) this.rewarded.add(market)
    else this.rewarded.delete(market)
  }

  #noteUnpaid(market: Market): void {
    if (market.status === 'RESOLVED' && !market.isPaidOut && kindOf(market) !== 'group') {
      this.unpaid.add(market)
    }
  }

  /** Releases the book. It has no live orders and gets no more. */
  closeBook(market: Market): void {
    const isOver = isOverFor(market) && market.openSizeRaw === 0
    assert(isOver, 'a book closes when it is over')
    if (market.book === 0) return
    this.#byBook[market.book] = undefined
    if (market.book < this.#lowestFree) this.#lowestFree = market.book
    market.book = 0
    this.closedCount++
  }

  /** Records a finished market without positions: it may be archived soon. */
  noteEmptied(market: Market): void {
    if (isOverFor(market) && market.rowCount === 0) this.emptied.add(market)
  }

  /** Archives a market. The read tables keep it. Its id and slug are never reused. */
  archive(marketId: MarketId): void {
    const market = this.existing(marketId)
    assert(isOverFor(market) && market.book === 0, 'only a finished market is archived')
    assert(this.childrenOf(marketId).length === 0, 'a group is archived after its children')
    assert(
      market.rowCount === 0 && market.conditionRaw === 0,
      'an archived market has no positions',
    )
    this.emptied.delete(market)
    this.unpaid.delete(market)
    this.rewarded.delete(market)
    this.#byId.delete(marketId)
    this.#bySlug.delete(market.slug)
    this.#byCondition.delete(market.conditionId.toLowerCase())
    if (market.groupId !== undefined) this.#dropChild(this.existing(market.groupId), market)
    for (const each of venueAddresses(market)) {
      const left = (this.#venues.get(each) ?? 0) - 1
      if (left > 0) this.#venues.set(each, left)
      else this.#venues.delete(each)
    }
  }

  #dropChild(group: Market, child: Market): void {
    const left = this.childrenOf(group.marketId).filter((each) => each !== child)
    if (left.length > 0) this.#childrenOf.set(group.marketId, left)
    else this.#childrenOf.delete(group.marketId)
  }

  /**
   * The full state by ascending id, for the state hash. It excludes books and counts, which are
   * indexes, and mark prices, which decide nothing and are not in older hashes.
   */
  *hashedFields(): Iterable<unknown> {
    yield ['markets', this.lastId]
    for (const { book: _b, rowCount: _r, markYesTicks: _m, ...market } of this.#byId.values()) {
      yield hashedFieldsOf(market)
    }
  }
}

function firstStatusOf(spec: MarketSpec): MarketStatus {
  if (kindOf(spec) === 'amm') return 'DRAFT'
  return spec.slot === undefined ? 'FUNDED' : 'CREATED'
}

/** Whether no more orders can arrive. A failed slot can still be resolved by an operator. */
function isOverFor({ status, isFailed }: Market): boolean {
  return status === 'RESOLVED' || (isFailed && !takesOrders(status))
}
