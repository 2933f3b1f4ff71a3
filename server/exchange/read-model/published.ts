// The public state of each market, from durable commands only (invariant 1).

import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { marketsChangedBy } from '../../../engine/core/markets/market-commands.ts'
import { eventsOfMove, type MoveEvent } from '../../../engine/core/moves/move-events.ts'
import type { PackOffer } from '../../../engine/core/packs/packs.ts'
import { Matches, type PlacedMatch } from '../../../engine/core/sports/matches.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { Command, ControlCommand } from '../../../engine/domain/command.ts'
import { type CommandOf, concernsBook, isOf } from '../../../engine/domain/command-kinds.ts'
import { eventAt, eventMarketId } from '../../../engine/domain/event.ts'
import type { MarketId, Seq, SeriesId } from '../../../engine/domain/ids.ts'
import type { Mark } from '../../../engine/domain/markets/mark.ts'
import { kindOf, type MarketStatus, takesOrders } from '../../../engine/domain/markets/market.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { ArchivedMarket } from '../../../persistence/query/read/markets/markets.ts'
import { Versions } from '../../messages/versions.ts'
import { ActiveMarkets, NOT_NOTED, type Noted } from './active-markets.ts'
import { Depth } from './depth.ts'
import { showMatches } from './match-views.ts'
import { assetOf, reportBy, type ShownReport, type SlotAsset } from './oracle-views.ts'
import { PackMarkets } from './pack-markets.ts'
import { type PoolChange, type PoolFigures, poolChangeBy } from './pool-views.ts'
import { type ShownTrades, showRecord, showTrade } from './record-publisher.ts'

export type { ShownReport } from './oracle-views.ts'
export type { MarketWatch } from './record-publisher.ts'

/** Receives changes of the published markets. It must not throw. */
export interface MarketsListener {
  added(published: PublishedMarket): void
  resolved(published: PublishedMarket): void
  removed(published: PublishedMarket): void
  reported(report: ShownReport): void
  /** Its pool changed by the command of `seq`. */
  poolMoved(published: PublishedMarket, seq: Seq): void
  /** The scores of matches changed. */
  scored(matches: readonly PlacedMatch[]): void
  /** A maker offers a pack. */
  offered(offer: PackOffer): void
}

/** Receives money moved outside trading by the command of `seq`. It must not throw. */
export type MovesReceived = (events: readonly MoveEvent[], seq: Seq) => void

export interface PublishedMarket extends Noted<PublishedMarket>, ShownTrades {
  /** A copy as of its newest durable command; trades appear in the fields below. */
  market: Market
  status: MarketStatus
  payoutNumerators: readonly [number, number] | null
  updatedMs: TimeMs
  /** Rises with each change of the book. */
  version: number
  /** The book in a reply, encoded once per version. */
  bookBytes: Buffer | null
  /** The value of a share, computed once per version. */
  mark: Mark | null
  /** Number of the newest frame of the book; it rises by one per frame. */
  sequence: number
  /** Length of the newest whole book built for sockets; 0 before the first. */
  frameBytes: number
  /** False while its newest records are published but not yet announced as a change. */
  isReported: boolean
  isOfMatch: boolean
  /** Null for a market without a pool. */
  pool: PoolFigures | null
  /** The result of `restingRaw` (market-kinds.ts), computed once per version. */
  restingRaw: number | null
  /** For a child, its group; for a group, its children in order. */
  group: PublishedMarket | null
  readonly children: PublishedMarket[]
  /** The next slot of its series. */
  next: PublishedMarket | null
  /** For a slot, its asset; null for any other market. */
  readonly asset: SlotAsset | null
}

const NO_POOL: PoolFigures = { reservesRaw: [0, 0], openInterestRaw: 0 }

function publishedOf(market: Market, asset: SlotAsset | null): PublishedMarket {
  const { status, payoutNumerators, updatedMs } = market
  return {
    market,
    depth: new Depth(market.minSizeRaw),
    status,
    payoutNumerators,
    updatedMs,
    volume: { raw: 0, carries: 0 },
    lastYesTicks: 0,
    markYesTicks: 0,
    day: null,
    version: 0,
    bookBytes: null,
    mark: null,
    sequence: 0,
    frameBytes: 0,
    tradeSeq: 0,
    isReported: true,
    watch: null,
    restingRaw: null,
    isOfMatch: false,
    pool: kindOf(market) === 'amm' ? NO_POOL : null,
    group: null,
    children: [],
    next: null,
    asset,
    ...NOT_NOTED,
  }
}

/** The trade figures of a market; all of them are durable. */
function tradedOf({ lastYesTicks, markYesTicks, volume, lastTradeSeq: tradeSeq }: Market) {
  return { lastYesTicks, markYesTicks, volume: { ...volume }, tradeSeq }
}

/**
 * A market that left memory, from the read tables, or a group with its markets. They no longer
 * change.
 */
export function archivedMarket(
  { isOfMatch, ...market }: ArchivedMarket,
  asset: SlotAsset | null = null,
  ofGroup: readonly ArchivedMarket[] = [],
): PublishedMarket {
  const group = { ...publishedOf(market, asset), ...tradedOf(market), isOfMatch }
  group.children.push(...ofGroup.map((child) => ({ ...archivedMarket(child), group })))
  return group
}

/** Whether lists of active markets show it. A group shows its children. */
function isListed({ market, status }: PublishedMarket): boolean {
  return takesOrders(status) && market.groupId === undefined
}

export class PublishedMarkets {
  readonly #byId = new Map<MarketId, PublishedMarket>()
  readonly #bySlug = new Map<string, PublishedMarket>()
  readonly #byAddress = new Map<string, PublishedMarket>()
  /** The newest slot of each series. */
  readonly #lastSlots = new Map<SeriesId, PublishedMarket>()
  readonly active = new ActiveMarkets<PublishedMarket>()
  readonly forPacks = new PackMarkets()
  /** The matches as of their durable commands, each of which is applied here once more. */
  readonly matches = new Matches()
  /** Rises when a market is added or when the status of a market may have changed. */
  listVersion = 0
  /** Rises with each change of any market. */
  changes = 0
  /** The same for other threads, by market. */
  readonly versions: Versions
  #listener: MarketsListener | null = null
  #onMoved: MovesReceived | null = null
  /** The newest market ever published. */
  lastId: MarketId = 0
  /** Markets whose records were published since `publishChanged`. */
  readonly #unreported: PublishedMarket[] = []
  /** Null until fills count for the last day. */
  #dayClock: (() => TimeMs) | null = null

  constructor(versions = new Versions()) {
    this.versions = versions
  }

  /** All markets in memory, newest last. */
  all(): PublishedMarket[] {
    return [...this.#byId.values()]
  }

  /** `onMoved` receives money moved outside trading, once that is durable. */
  listenToMoves(onMoved: MovesReceived): void {
    this.#onMoved = onMoved
  }

  /** Sets the listener: the sockets, once they are up. */
  listen(listener: MarketsListener): void {
    this.#listener = listener
  }

  byId(marketId: MarketId): PublishedMarket | undefined {
    return this.#byId.get(marketId)
  }

  bySlug(slug: string): PublishedMarket | undefined {
    return this.#bySlug.get(slug)
  }

  /**
   * The publication of a command that was just applied, to run once it is durable: it captures the
   * markets as of that command. Null when it publishes nothing.
   */
  shownBy(command: ControlCommand, clearing: Clearing): (() => void) | null {
    if (command.kind === 'reportPrice') {
      const report = reportBy(command, clearing)
      return () => this.#listener?.reported(report)
    }
    if (command.kind === 'offerPack') {
      const offer = clearing.packs.offer(command.seq)
      return offer === undefined ? null : () => this.#listener?.offered(offer)
    }
    if (isOf('moves', command)) return this.#movedBy(command, clearing)
    if (isOf('matches', command)) {
      return () => {
        const scored = showMatches(this.matches, command, this.#byId, (each) => this.#changed(each))
        if (scored.length > 0) this.#listener?.scored(scored)
      }
    }
    return this.#marketsBy(command, clearing)
  }

  #marketsBy(command: ControlCommand, clearing: Clearing): (() => void) | null {
    const copies = marketsChangedBy(command, clearing.catalogue).map((market) => {
      return { copy: { ...market }, asset: assetOf(market, clearing) }
    })
    if (copies.length === 0) return null
    return () => {
      for (const { copy, asset } of copies) {
        if (this.#byId.has(copy.marketId)) this.refresh(copy)
        else this.add(copy, asset)
      }
    }
  }

  #movedBy(command: CommandOf<'moves'>, clearing: Clearing): (() => void) | null {
    const { catalogue } = clearing
    const showMarkets = this.#marketsBy(command, clearing)
    const pool = poolChangeBy(command, clearing)
    const events = eventsOfMove(command, (groupId) =>
      catalogue.childrenOf(groupId).map(({ marketId }) => marketId),
    )
    return () => {
      showMarkets?.()
      if (pool !== null) this.#poolChanged(pool)
      this.#onMoved?.(events, command.seq)
    }
  }

  #poolChanged(change: PoolChange): void {
    const known = this.#byId.get(change.marketId)
    assert(known !== undefined, 'a market is published before its pool changes')
    known.pool = change.figures
    if (change.trade !== null) showTrade(known, change.trade, this.#dayClock)
    this.#changed(known)
    if (change.isMoved) this.#listener?.poolMoved(known, change.seq)
  }

  /** A pool by its EIP-55 address, in any letter case. */
  byAddress(address: string): PublishedMarket | undefined {
    return this.#byAddress.get(address.toLowerCase())
  }

  /** Publishes a created market. Call it when the command is durable. */
  add(market: Market, asset: SlotAsset | null = null): PublishedMarket {
    assert(market.marketId > this.lastId, 'markets are published in order')
    this.lastId = market.marketId
    const published = publishedOf(market, asset)
    published.isOfMatch = this.matches.byMarket(market.marketId) !== undefined
    this.#byId.set(market.marketId, published)
    this.#bySlug.set(market.slug, published)
    this.#link(published)
    this.#noted(published)
    this.#listed()
    this.changes++
    this.#listener?.added(published)
    return published
  }

  #noted(published: PublishedMarket): void {
    this.active.note(published, isListed(published))
    this.forPacks.note(published)
  }

  #link(published: PublishedMarket): void {
    const { groupId, slot, deadlineMs, poolAddress } = published.market
    if (poolAddress !== undefined) this.#byAddress.set(poolAddress.toLowerCase(), published)
    const group = groupId === undefined ? undefined : this.#byId.get(groupId)
    if (group !== undefined) {
      published.group = group
      group.children.push(published)
      this.#changed(group)
    }
    if (slot === undefined || deadlineMs === null) return
    // Slots are created in order.
    const before = this.#lastSlots.get(slot.seriesId)
    this.#lastSlots.set(slot.seriesId, published)
    if (before?.market.deadlineMs !== slot.startMs) return
    before.next = published
    this.#changed(before)
  }

  /**
   * A market left memory, and that is durable. Every record of it was published before. It was
   * resolved, so no list of active markets changes.
   */
  remove({ marketId, slug, slot, poolAddress }: Market): void {
    const known = this.#byId.get(marketId)
    this.#byId.delete(marketId)
    this.#bySlug.delete(slug)
    if (poolAddress !== undefined) this.#byAddress.delete(poolAddress.toLowerCase())
    this.matches.marketGone(marketId)
    if (known === undefined) return
    this.versions.raiseMarket(marketId)
    this.active.forget(known)
    this.#listener?.removed(known)
    // A group shows its children until it leaves memory itself, after them.
    if (slot !== undefined && this.#lastSlots.get(slot.seriesId) === known) {
      this.#lastSlots.delete(slot.seriesId)
    }
  }

  /** Publishes a market as of a command. Call it when the command is durable. */
  refresh(market: Market): void {
    const known = this.#byId.get(market.marketId)
    assert(known !== undefined, 'a market is published before it changes')
    const isOver = market.status === 'RESOLVED' && known.status !== market.status
    known.market = market
    known.status = market.status
    known.updatedMs = market.updatedMs
    known.payoutNumerators = market.payoutNumerators
    this.#listed()
    this.#changed(known)
    this.#noted(known)
    if (isOver) this.#listener?.resolved(known)
  }

  /** Publishes the effect of a replayed command. Fills arrive through `publish`. */
  replayed(command: Command, clearing: Clearing): void {
    if (concernsBook(command)) return
    if (command.kind === 'archiveMarket') {
      const known = this.#byId.get(command.marketId)
      assert(known !== undefined, 'a market is published before it leaves memory')
      this.remove(known.market)
    } else this.shownBy(command, clearing)?.()
  }

  /** Publishes a market of a recovered state, all of it durable, with its resting orders. */
  restore(
    market: Market,
    { pool, asset }: Pick<PublishedMarket, 'pool' | 'asset'>,
    eachOrder: (rest: Depth['rested']) => void,
  ): void {
    const published = this.add({ ...market }, asset)
    Object.assign(published, tradedOf(market), { pool })
    const { depth } = published
    eachOrder((ticks, leftRaw, isBid) => depth.rested(ticks, leftRaw, isBid))
    this.#noted(published)
  }

  /** Restores the markets of a group that left memory before it. */
  restoreGroup(group: PublishedMarket, archived: readonly ArchivedMarket[]): void {
    const left = archived.map((market) => ({ ...archivedMarket(market), group }))
    const all = [...group.children, ...left].sort((a, b) => a.market.marketId - b.market.marketId)
    group.children.splice(0, group.children.length, ...all)
    this.#changed(group)
  }

  /**
   * From now on, fills count for the last day, at the time of their publication. Fills that a start
   * replays do not: the read tables have them.
   */
  countDays(clock: () => TimeMs): void {
    this.#dayClock = clock
  }

  #listed(): void {
    this.listVersion++
    this.versions.raiseList()
  }

  #changed(published: PublishedMarket): void {
    published.version++
    this.versions.raiseMarket(published.market.marketId)
    published.bookBytes = null
    published.mark = null
    published.restingRaw = null
    this.active.changed(published)
    this.changes++
    published.watch?.changed()
    // A group shows its children.
    if (published.group === null) return
    published.group.version++
    this.versions.raiseMarket(published.group.market.marketId)
    this.active.changed(published.group)
  }

  /** Applies the records of a replayed command. */
  replayedEvents(words: Int32Array, f64s: Float64Array, count: number): void {
    this.publish(words, f64s, 0, count)
    this.publishChanged()
  }

  /** Applies the durable records of one command. `publishChanged` follows, once per batch. */
  publish(words: Int32Array, f64s: Float64Array, at: number, count: number): void {
    const marketId = eventMarketId(words, eventAt(at, 0))
    const published = this.#byId.get(marketId)
    assert(published !== undefined, 'a market is published before its events')
    for (let record = 0; record < count; record++) {
      showRecord(published, words, f64s, eventAt(at, record), this.#dayClock)
    }
    if (published.isReported) this.#unreported.push(published)
    published.isReported = false
  }

  /** Announces the changes of a batch of `publish`. The batch ends in the same tick. */
  publishChanged(): void {
    for (const published of this.#unreported) {
      published.isReported = true
      this.#changed(published)
    }
    this.#unreported.length = 0
  }
}
