// The markets with listeners: the frames of their books and their tapes. A market without listeners
// has no entry and costs nothing.

import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import { kindOf } from '../../../../engine/domain/markets/market.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import type { Member } from '../../../edge/sockets/member.ts'
import { packetOf } from '../../../edge/sockets/packets.ts'
import {
  BroadcastGroup,
  type BroadcastParts,
} from '../../../edge/sockets/shared/broadcast-group.ts'
import { NewestFrames } from '../../../edge/sockets/shared/newest-frames.ts'
import { childrenNamed } from '../../../exchange/read-model/market-kinds.ts'
import type {
  MarketWatch,
  PublishedMarket,
  PublishedMarkets,
} from '../../../exchange/read-model/published.ts'
import { averageYesPrice, yesFills } from '../../../exchange/read-model/trade-prices.ts'
import { isoText } from '../../../messages/iso-text.ts'
import { invalid, type Refusal, refuse } from '../../../messages/refusal.ts'
import { BookFrames, BookPace, type BookParts, type BookWaits } from './book-pace.ts'

export class MarketTopic implements MarketWatch {
  readonly published: PublishedMarket
  readonly book: BookFrames
  readonly tape: Tape
  readonly #pace: BookPace

  constructor(published: PublishedMarket, parts: BookParts & TapeParts, pace: BookPace) {
    this.published = published
    this.book = new BookFrames(published, parts)
    this.tape = new Tape(published, parts)
    this.#pace = pace
  }

  get isEmpty(): boolean {
    return this.book.isEmpty && this.tape.group.isEmpty
  }

  get members(): readonly Member[] {
    return [...this.book.members, ...this.tape.group.members]
  }

  changed(): void {
    this.#pace.changed(this.book)
  }

  filled(seq: Seq, yesTicks: number, sizeRaw: number, isBuy: boolean): void {
    this.tape.filled(seq, yesTicks, sizeRaw, isBuy)
  }

  arrived(seq: Seq): void {
    this.tape.arrived(seq)
  }
}

type TopicParts = Omit<BookParts & TapeParts, 'left' | 'idle'> & {
  readonly waits: BookWaits
}

export class MarketTopics {
  readonly #parts: TopicParts
  readonly #topics = new Map<MarketId, MarketTopic>()
  readonly #pace: BookPace

  constructor(parts: TopicParts) {
    this.#parts = parts
    this.#pace = new BookPace({ ...parts, books: () => this.#books() })
  }

  byId(marketId: MarketId): MarketTopic | undefined {
    return this.#topics.get(marketId)
  }

  /** The topic of a market, created for its first listener. */
  open(published: PublishedMarket): MarketTopic {
    const { marketId } = published.market
    const known = this.#topics.get(marketId)
    if (known !== undefined) return known
    const idle = (book: BookFrames) => this.#pace.idle(book)
    const parts = { ...this.#parts, left: () => this.#tidy(marketId), idle }
    const topic = new MarketTopic(published, parts, this.#pace)
    this.#topics.set(marketId, topic)
    published.watch = topic
    return topic
  }

  stop(): void {
    this.#pace.stop()
  }

  *#books(): Iterable<BookFrames> {
    for (const { book } of this.#topics.values()) yield book
  }

  #tidy(marketId: MarketId): void {
    const topic = this.#topics.get(marketId)
    if (topic === undefined || !topic.isEmpty) return
    this.#topics.delete(marketId)
    topic.published.watch = null
    this.#pace.forget(topic.book)
  }
}

// The public tape of one market: each incoming order that traded, and each reversed trade. `seq` is
// the seq of the command and increases; `prevSeq` is that of the previous trade, so that a gap can
// be detected and read over REST. `sequence` counts the frames of this tape since the start.

interface TapeParts extends BroadcastParts {
  /** The time of a recently stamped command. */
  readonly msOf: (seq: Seq) => TimeMs
  /** A reader left the tape. */
  readonly left: () => void
}

/** The fills of an incoming order that is not published yet. */
interface Arrival {
  readonly seq: Seq
  /** Seq of the previous trade; 0 for the first trade of the market. */
  readonly prevSeq: Seq
  readonly isBuy: boolean
  readonly sizesRaw: Map<number, number>
}

class Tape {
  readonly group: BroadcastGroup
  readonly #published: PublishedMarket
  readonly #parts: TapeParts
  #arrival: Arrival | null = null
  readonly #newest = new NewestFrames()
  #sequence = 0

  constructor(published: PublishedMarket, parts: TapeParts) {
    this.#published = published
    this.#parts = parts
    // A reader that missed more than the newest frames detects it by `sequence` and `prevSeq`.
    const since = (count: number) => this.#newest.since(count)
    const source = { since, left: parts.left, pace: 'newest' } as const
    this.group = new BroadcastGroup(`tape${published.market.marketId}`, parts, source)
  }

  /** The fills of one incoming order are consecutive. */
  filled(seq: Seq, yesTicks: number, sizeRaw: number, isBuy: boolean): void {
    if (this.group.isEmpty) return
    if (this.#arrival?.seq !== seq) {
      this.#arrival = { seq, prevSeq: this.#published.tradeSeq, isBuy, sizesRaw: new Map() }
    }
    const { sizesRaw } = this.#arrival
    sizesRaw.set(yesTicks, (sizesRaw.get(yesTicks) ?? 0) + sizeRaw)
  }

  arrived(seq: Seq): void {
    const arrival = this.#arrival
    if (arrival?.seq !== seq) return
    this.#arrival = null
    this.#say('trade', () => this.#tradeFrame(arrival))
  }

  /** The trade of `tradeSeq` was reversed by the command of `seq`. */
  busted(tradeSeq: Seq, seq: Seq, nowMs: TimeMs): void {
    this.#say('trade_busted', () => ({
      marketSlug: this.#published.market.slug,
      seq,
      sequence: ++this.#sequence,
      tradeEventId: String(tradeSeq),
      tradeSeq,
      timestamp: isoText(nowMs),
    }))
  }

  #tradeFrame({ seq, prevSeq, isBuy, sizesRaw }: Arrival): object {
    const fills = [...sizesRaw].map(([ticks, sizeRaw]) => ({ ticks, sizeRaw }))
    let sizeRaw = 0
    for (const fill of fills) sizeRaw += fill.sizeRaw
    return {
      marketSlug: this.#published.market.slug,
      seq,
      prevSeq,
      sequence: ++this.#sequence,
      tradeEventId: String(seq),
      price: averageYesPrice(fills),
      size: sizeRaw,
      side: isBuy ? 'BUY' : 'SELL',
      fills: yesFills(fills),
      timestamp: isoText(this.#parts.msOf(seq)),
    }
  }

  /** Called by the pipeline, so a fault in a frame must not be thrown. */
  #say(event: string, payload: () => object): void {
    const { group } = this
    if (group.isEmpty) return
    try {
      edgePoint('at-socket-frame')
      const packet = packetOf(event, payload())
      this.#newest.keep(group.count, packet)
      group.say(packet)
    } catch (error) {
      this.#parts.fail(error, group.members)
    }
  }
}

// Resolves the market names that a client sends in a public channel.

/** The markets whose tapes are requested, a group by its children; or the refusal. */
export function tapesNamed(
  published: PublishedMarkets,
  slugs: readonly string[],
): Map<string, PublishedMarket> | Refusal {
  const found = new Map<string, PublishedMarket>()
  const missing: string[] = []
  for (const slug of slugs) {
    const shown = published.bySlug(slug)
    if (shown === undefined) missing.push(slug)
    else for (const each of tapesOf(published, shown)) found.set(each.market.slug, each)
  }
  return missing.length > 0 ? marketsMissing(published, missing) : found
}

/** A group trades through its children. One that left memory does not trade any more. */
export function tapesOf(
  published: PublishedMarkets,
  shown: PublishedMarket,
): readonly PublishedMarket[] {
  if (kindOf(shown.market) !== 'group') return [shown]
  return shown.children.filter((child) => published.bySlug(child.market.slug) === child)
}

/**
 * Reports which names of the client are unknown. For a group among them, the error lists its
 * markets, which the channel accepts instead.
 */
export function marketsMissing(published: PublishedMarkets, missing: readonly string[]): Refusal {
  for (const slug of missing) {
    const group = published.bySlug(slug)
    if (group !== undefined) return refuse('MARKET_NOT_FOUND', { ...childrenNamed(group), missing })
  }
  return refuse('MARKET_NOT_FOUND', { missing })
}

export function namesMissing(): Refusal {
  return invalid({ field: 'marketSlugs', message: 'must name the markets' })
}
