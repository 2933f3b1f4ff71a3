// Builds the frames of order events, both live and missed.

import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { MarketId, ProfileId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { MissedFrame } from '../../../../persistence/query/read/orders/missed-frames.ts'
import type { TradePart } from '../../../../persistence/query/read/trade-parts.ts'
import type { Pipeline } from '../../../exchange/pipeline.ts'
import type { OrderEvent } from '../../../exchange/read-model/order-event-feed.ts'
import type { PublishedMarket } from '../../../exchange/read-model/published.ts'
import {
  type FrameNames,
  type Lifecycle,
  lifecycleFrame,
  makerMatch,
  matchedFrame,
  type Settled,
  settledFrame,
} from './order-frames.ts'

/** The end of a trade; the height is 0 when it failed. */
export interface TradeEnd {
  readonly height: number
  readonly ms: TimeMs
}

export class FrameMaker {
  readonly #pipeline: Pipeline
  readonly #clock: () => TimeMs

  constructor(pipeline: Pipeline, clock: () => TimeMs) {
    this.#pipeline = pipeline
    this.#clock = clock
  }

  /** `index` counts the numbered frames that one command causes for an account. */
  lifecycle(event: Lifecycle, market: Market, index: number): object {
    return lifecycleFrame(event, { ...this.#namesOf(event, market), index })
  }

  matched(part: TradePart, market: Market) {
    const takerOrderId = this.#pipeline.ids.text(part.takerSlot, part.takerGeneration)
    const names = { ...this.#namesOf(part, market), takerOrderId }
    return matchedFrame({ ...part, type: 'MATCHED' }, names)
  }

  missed(frame: MissedFrame, markets: ReadonlyMap<MarketId, PublishedMarket>): object {
    const event = frame.what === 'ORDER' ? frame.event : frame.part
    const shown = markets.get(event.marketId)
    assert(shown !== undefined, 'a missed event has a market')
    const { market } = shown
    if (frame.what === 'ORDER') return this.lifecycle(frame.event, market, frame.index)
    const matched = this.matched(frame.part, market)
    if (frame.what === 'MATCHED') return matched
    return settledFrame(matched, this.settled(frame.parts, frame))
  }

  /** The fields of a trade's end common to all of its owners; the taker's part is first. */
  settled([taker, ...makers]: readonly [TradePart, ...TradePart[]], end: TradeEnd): Settled {
    const { clearing, ids, mining } = this.#pipeline
    assert(mining !== null, 'a trade has a chain')
    const accountOf = (profileId: ProfileId) => clearing.accounts.byId(profileId)?.account ?? ''
    const { height, ms } = end
    return {
      type: height === 0 ? 'FAILED' : 'MINED',
      txHash: height === 0 ? null : mining.txHashIn(height, taker.seq),
      settledMs: ms,
      takerAccount: accountOf(taker.accountId),
      makerMatches: makers.slice(0, LIMITS.statusMakersMax).map((part) => {
        return makerMatch(part, accountOf(part.accountId), ids.text(part.slot, part.generation))
      }),
    }
  }

  #namesOf(event: Lifecycle | TradePart | OrderEvent, market: Market): FrameNames {
    return {
      orderId: this.#pipeline.ids.text(event.slot, event.generation),
      marketSlug: market.slug,
      tokenId: event.outcome === 0 ? market.yesTokenId : market.noTokenId,
      publishedMs: this.#clock(),
    }
  }
}
