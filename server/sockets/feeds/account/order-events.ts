// The frames of the channel `subscribe_order_events`: the events of the caller's own orders (rules
// §5.3, §5.4). Each event id is made once: ids of lifecycle frames rise, the others name their
// order or trade. So no memory of past ids is needed to drop duplicates.

import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { Seq } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import type { Pipeline } from '../../../pipeline/pipeline.ts'
import type { OrderFact } from '../../../pipeline/shown/order-news.ts'
import type { Streams } from '../../account-stream.ts'
import type { Audience } from './audience.ts'
import { type FrameNames, lifecycleFrame, type Matched, matchedFrame } from './order-frames.ts'

/** Counts the numbered frames that an owner got from one command. */
interface Place {
  readonly seq: Seq
  readonly index: number
}

export interface OrderEventParts {
  readonly audience: Audience
  readonly pipeline: Pipeline
  readonly clock: () => TimeMs
  readonly streams: Streams
}

export class OrderEvents {
  readonly audience: Audience
  readonly #pipeline: Pipeline
  readonly #clock: () => TimeMs
  readonly #streams: Streams

  constructor({ audience, pipeline, clock, streams }: OrderEventParts) {
    this.audience = audience
    this.#pipeline = pipeline
    this.#clock = clock
    this.#streams = streams
  }

  /** All facts of a command come in one call, so its frames are counted within that call. */
  tell(facts: readonly OrderFact[]): void {
    const places = new Map<number, Place>()
    for (const fact of facts) {
      const { accountId } = fact
      if (!this.audience.isHeardBy(accountId)) continue
      const stream = this.#streams.of(accountId)
      try {
        edgePoint('at-socket-news')
        const payload = this.#frameOf(fact, places)
        stream?.post({ to: this.audience, event: 'orderEvent', payload })
      } catch (error) {
        stream?.fail(error, (member) => this.audience.hears(member, Infinity))
      }
    }
  }

  matchedFrame(fact: Matched, market: Market) {
    const { ids } = this.#pipeline
    const takerOrderId = ids.text(fact.takerSlot, fact.takerGeneration)
    return matchedFrame(fact, { ...this.#frameNames(fact, market), takerOrderId })
  }

  /** The index of a frame is fixed at once; the rest of it is made when it is sent. */
  #frameOf(fact: OrderFact, places: Map<number, Place>): () => object {
    // The market may leave memory before the frame is sent.
    const market = this.#marketOf(fact)
    if (fact.type === 'MATCHED') return () => this.matchedFrame(fact, market)
    const { accountId, seq } = fact
    const last = places.get(accountId)
    const index = last?.seq === seq ? last.index + 1 : 0
    if (fact.type !== 'EXECUTION') places.set(accountId, { seq, index })
    return () => lifecycleFrame(fact, { ...this.#frameNames(fact, market), index })
  }

  #marketOf({ marketId }: OrderFact): Market {
    const shown = this.#pipeline.published.byId(marketId)
    assert(shown !== undefined, 'an order has a published market')
    return shown.market
  }

  #frameNames(fact: OrderFact, market: Market): FrameNames {
    return {
      orderId: this.#pipeline.ids.text(fact.slot, fact.generation),
      marketSlug: market.slug,
      tokenId: fact.outcome === 0 ? market.yesTokenId : market.noTokenId,
      publishedMs: this.#clock(),
    }
  }
}
