// The markets with listeners: the frames of their books and their tapes. A market without listeners
// has no entry and costs nothing.

import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import type { Member } from '../../../edge/sockets/member.ts'
import type { MarketWatch, PublishedMarket } from '../../../exchange/read-model/published.ts'
import { BookFrames, type BookParts } from './book-frames.ts'
import { BookPace, type BookWaits } from './book-pace.ts'
import { Tape, type TapeParts } from './tape.ts'

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

export type TopicParts = Omit<BookParts & TapeParts, 'left' | 'idle'> & {
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
