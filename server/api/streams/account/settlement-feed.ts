// The outcomes of trades on the chain: MINED and FAILED among the order events, and the `tx` frames
// of the channel `subscribe_transactions` (rules §5.3, §12.8). A retry causes no frame. The tables
// have every trade, so each listener is notified when its trade is mined, even if the trade was
// matched before a restart.
// Invariants: while there are listeners, `#due` has the unpublished outcomes. At most one read is
// in progress.

import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { moveHashOf } from '../../../../engine/core/money/tx-hash.ts'
import type { MoveEvent } from '../../../../engine/core/moves/move-events.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { UNIT_RAW } from '../../../../engine/domain/units.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import { patiently } from '../../../../persistence/query/patient-read.ts'
import { type TradeParts, tradeParts } from '../../../../persistence/query/read/trade-parts.ts'
import type { Streams } from '../../../edge/sockets/account-stream.ts'
import type { PublishedMarket, PublishedMarkets } from '../../../exchange/read-model/published.ts'
import type {
  BlockEvent,
  BlockName,
  SettlementEvent,
  SettlementListener,
} from '../../../exchange/settlement/mining.ts'
import { isoText } from '../../../messages/iso-text.ts'
import { refuse } from '../../../messages/refusal.ts'
import type { ArchivedMarkets } from '../../markets/archived-markets.ts'
import type { PrivateReads } from '../../reads/private-reads.ts'
import type { Audience } from './audience.ts'
import { ORDER_EVENTS, type OrderEvents } from './order-events.ts'
import { type FrameMaker, type Settled, settledFrame, txFrame } from './order-frames.ts'
import type { PositionsFeed } from './positions-feed.ts'

export interface SettlementFeedParts {
  /** The listeners to `tx` frames. */
  readonly audience: Audience
  readonly reads: PrivateReads
  readonly archive: ArchivedMarkets
  readonly streams: Streams
  readonly orderEvents: OrderEvents
  readonly frames: FrameMaker
  readonly positions: PositionsFeed
}

/** The outcome of one trade; the height is 0 when it failed. */
interface Due extends BlockName {
  readonly tradeSeq: Seq
  /** The command that mined or reversed the trade. */
  readonly seq: Seq
  readonly settledMs: number
}

export class SettlementFeed implements SettlementListener {
  readonly #parts: SettlementFeedParts
  #due: Due[] = []
  #isReading = false

  constructor(parts: SettlementFeedParts) {
    this.#parts = parts
  }

  onBlock({ height, txHash, ms: settledMs, mined }: BlockEvent): void {
    this.#contained(() => {
      this.#add(mined.map((trade) => ({ ...trade, height, txHash, settledMs })))
    })
  }

  onSetback({ tradeSeq, reversed, nowMs }: SettlementEvent): void {
    if (reversed === undefined) return
    const { seq } = reversed
    const block = { height: 0, txHash: null }
    this.#contained(() => this.#add([{ tradeSeq, seq, ...block, settledMs: nowMs }]))
  }

  /** Called by the pipeline, so a fault in a frame must not be thrown. */
  #contained(work: () => void): void {
    try {
      edgePoint('at-socket-settled')
      work()
    } catch (error) {
      this.#broke(error)
    }
  }

  /** Drops all due outcomes. Every listener misses some, so its socket ends. */
  #broke(error: unknown): void {
    this.#due = []
    const waiting = this.#audiences.flatMap((audience) => audience.all())
    this.#parts.streams.fail(error, [...new Set(waiting)])
  }

  /** Includes the listeners to positions, because a failed trade is reversed in them. */
  get #audiences(): readonly Audience[] {
    const { audience, orderEvents, positions } = this.#parts
    return [orderEvents.audience, audience, positions.audience]
  }

  #isReceived(): boolean {
    return this.#audiences.some((audience) => !audience.isEmpty)
  }

  #add(due: readonly Due[]): void {
    if (due.length === 0 || !this.#isReceived()) return
    if (this.#due.length + due.length > LIMITS.settledDueMax) this.#giveUp()
    for (const each of due) this.#due.push(each)
    if (!this.#isReading) void this.#publishAll()
  }

  async #publishAll(): Promise<void> {
    this.#isReading = true
    try {
      await this.#publishDue()
    } catch (error) {
      this.#broke(error)
    }
    this.#isReading = false
  }

  async #publishDue(): Promise<void> {
    while (this.#due.length > 0) {
      const due = new Map<number, Due>()
      for (const each of this.#due.splice(0, LIMITS.settledReadMax)) due.set(each.tradeSeq, each)
      const trades = await this.#tradesOf([...due.keys()])
      edgePoint('at-socket-read')
      const markets = await this.#marketsOf(trades)
      if (trades === undefined || markets === undefined) this.#giveUp()
      else this.#showAll(trades, due, markets)
    }
  }

  /** Waits for late tables. Undefined when they stay late; empty when nobody listens. */
  #tradesOf(tradeSeqs: readonly Seq[]): Promise<readonly TradeParts[] | undefined> {
    const read = async (): Promise<readonly TradeParts[] | undefined> => {
      const listeners = this.#audiences.flatMap((audience) => audience.profileIds())
      if (listeners.length === 0) return []
      const accountIds = [...new Set(listeners)]
      return this.#parts.reads.readForFrame(tradeParts, { tradeSeqs, accountIds })
    }
    return patiently(read, { ref: false })
  }

  /** A market may have left memory since its trade was mined. */
  #marketsOf(trades: readonly TradeParts[] | undefined) {
    return this.#parts.archive.byIds((trades ?? []).map(({ marketId }) => marketId))
  }

  #showAll(
    trades: readonly TradeParts[],
    due: ReadonlyMap<Seq, Due>,
    markets: ReadonlyMap<MarketId, PublishedMarket>,
  ): void {
    for (const trade of trades) {
      const end = due.get(trade.seq)
      const shown = markets.get(trade.marketId)
      assert(end !== undefined, 'the tables return only the requested trades')
      assert(shown !== undefined, 'a trade has a market')
      this.#show(trade, end, shown.market)
    }
  }

  /** No frame is dropped silently: its listeners are notified, and their subscriptions end. */
  #giveUp(): void {
    this.#due = []
    const { audience, orderEvents } = this.#parts
    for (const member of orderEvents.audience.all()) {
      orderEvents.left(member)
      member.except(refuse('READ_TIMEOUT'), ORDER_EVENTS)
    }
    for (const member of audience.all()) {
      audience.left(member)
      member.except(refuse('READ_TIMEOUT'), 'subscribe_transactions')
    }
  }

  #show(trade: TradeParts, end: Due, market: Market): void {
    const { audience, streams, orderEvents, positions, frames } = this.#parts
    let settled: Settled | null = null
    const settledOnce = () => {
      settled ??= frames.settled(trade.parts, { ...end, ms: end.settledMs })
      return settled
    }
    for (const part of trade.parts) {
      const { accountId } = part
      if (end.height === 0) positions.changed(accountId, trade.marketId)
      const matched = () => frames.matched(part, market)
      if (orderEvents.audience.isReceivedBy(accountId)) {
        const payload = () => settledFrame(matched(), settledOnce())
        orderEvents.post(accountId, { seq: end.seq, payload })
      }
      if (audience.isReceivedBy(accountId)) {
        const payload = () => txFrame(matched(), settledOnce(), market.conditionId)
        streams.of(accountId)?.post({ to: audience, seq: end.seq, event: 'tx', payload })
      }
    }
  }
}

// The `tx` frames of money that moved outside trading (rules §12.8): CONFIRMED when a block
// contains the command. A trade with a pool has the fields of a trade.
// Invariants: `#waiting` has the listeners' moves that are in no published block, oldest first.

const CHANNEL = 'subscribe_transactions'

export interface MoveTransactionParts {
  /** The listeners to `tx` frames. */
  readonly audience: Audience
  readonly streams: Streams
  readonly published: PublishedMarkets
  readonly chainId: number
}

interface Waiting {
  readonly seq: Seq
  readonly event: MoveEvent
  /** The market may have left memory when its block is published. */
  readonly market: MarketNames | null
}

interface MarketNames {
  readonly marketSlug: string
  readonly conditionId: string
  readonly tokens: readonly [yes: string, no: string]
  readonly marketAddress: string | null
}

export class MoveTransactions implements SettlementListener {
  readonly #parts: MoveTransactionParts
  #waiting: Waiting[] = []

  constructor(parts: MoveTransactionParts) {
    this.#parts = parts
  }

  /** Called by the pipeline, so a fault in a frame must not be thrown. */
  moved(events: readonly MoveEvent[], seq: Seq): void {
    const { audience } = this.#parts
    for (const event of events) {
      if (!audience.isReceivedBy(event.owner)) continue
      if (this.#waiting.length >= LIMITS.settledDueMax) this.#giveUp()
      this.#waiting.push({ seq, event, market: this.#namesOf(event.marketId) })
    }
  }

  onBlock(block: BlockEvent): void {
    if (this.#waiting.length === 0) return
    const due = this.#waiting.filter(({ seq }) => seq <= block.throughSeq)
    this.#waiting = this.#waiting.filter(({ seq }) => seq > block.throughSeq)
    try {
      edgePoint('at-socket-settled')
      for (const each of due) this.#post(each, block)
    } catch (error) {
      this.#waiting = []
      this.#parts.streams.fail(error, this.#parts.audience.all())
    }
  }

  onSetback(): void {
    // The chain accepts every move.
  }

  #post({ seq, event, market }: Waiting, { ms }: BlockEvent): void {
    const { audience, streams, chainId } = this.#parts
    if (!audience.isReceivedBy(event.owner)) return
    const payload = () => ({
      userId: event.owner,
      txHash: moveHashOf(chainId, seq),
      status: 'CONFIRMED',
      source: market?.marketAddress ? 'AMM' : 'CTF',
      timestamp: isoText(ms),
      ...(market === null ? {} : partOf(event, market)),
      amountCollateral: String(Math.abs(event.collateralRaw)),
    })
    streams.of(event.owner)?.post({ to: audience, seq, event: 'tx', payload })
  }

  /** No frame is dropped silently: its listeners are notified, and their subscriptions end. */
  #giveUp(): void {
    this.#waiting = []
    const { audience } = this.#parts
    for (const member of audience.all()) {
      audience.left(member)
      member.except(refuse('READ_TIMEOUT'), CHANNEL)
    }
  }

  #namesOf(marketId: MarketId): MarketNames | null {
    const market = this.#parts.published.byId(marketId)?.market
    if (market === undefined) return null
    const { slug, conditionId, yesTokenId, noTokenId, poolAddress } = market
    return {
      marketSlug: slug,
      conditionId,
      tokens: [yesTokenId, noTokenId],
      marketAddress: poolAddress ?? null,
    }
  }
}

function partOf(
  { kind, yesRaw, noRaw, collateralRaw }: MoveEvent,
  { marketSlug, conditionId, tokens, marketAddress }: MarketNames,
) {
  const named = {
    marketSlug,
    ...(conditionId === '' ? {} : { conditionId }),
    ...(marketAddress === null ? {} : { marketAddress }),
  }
  if (kind !== 'BUY' && kind !== 'SELL') return named
  const sharesRaw = Math.abs(yesRaw + noRaw)
  return {
    ...named,
    tokenId: tokens[yesRaw === 0 ? 1 : 0],
    amountContracts: String(sharesRaw),
    price: String(Math.round((Math.abs(collateralRaw) / sharesRaw) * UNIT_RAW) / UNIT_RAW),
    side: kind,
  }
}
