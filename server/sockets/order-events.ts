// The channel `subscribe_order_events`: frames of the caller's own orders (domain §5.3, §5.4). Each
// event id is made once: ids of lifecycle frames rise, the others name their order or trade.

import { assert } from '../../engine/domain/assert.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import type { OrderFact } from '../pipeline/order-news.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import { Audience } from './audience.ts'
import type { Channel } from './channels.ts'
import type { Member } from './member.ts'
import { type FrameNames, lifecycleFrame, type Matched, matchedFrame } from './order-frames.ts'

/** How many frames an owner got of the command at hand. */
interface Place {
  seq: number
  index: number
}

export class OrderEvents implements Channel {
  readonly isPrivate = true
  readonly #pipeline: Pipeline
  readonly #clock: () => TimeMs
  readonly #audience: Audience
  readonly #places = new Map<number, Place>()

  constructor(pipeline: Pipeline, clock: () => TimeMs) {
    this.#pipeline = pipeline
    this.#clock = clock
    const { news } = pipeline.publisher
    this.#audience = new Audience(
      (profileId) => {
        this.#places.set(profileId, { seq: 0, index: 0 })
        news.watch(profileId)
      },
      (profileId) => {
        this.#places.delete(profileId)
        news.unwatch(profileId)
      },
    )
  }

  subscribe(member: Member): null {
    this.#audience.add(member)
    return null
  }

  unsubscribe(member: Member): void {
    this.#audience.remove(member)
  }

  left(member: Member): void {
    this.#audience.remove(member)
  }

  tell(facts: readonly OrderFact[]): void {
    for (const fact of facts) {
      const members = this.#audience.of(fact.accountId)
      if (members.length === 0) continue
      const frame = this.#frameOf(fact)
      for (const member of members) member.sendPrivate('orderEvent', frame)
    }
  }

  /** To all who listen for a profile. */
  send(profileId: number, frame: object): void {
    for (const member of this.#audience.of(profileId)) member.sendPrivate('orderEvent', frame)
  }

  matchedFrame(fact: Matched) {
    const { ids } = this.#pipeline
    const takerOrderId = ids.text(fact.takerSlot, fact.takerGeneration)
    return matchedFrame(fact, { ...this.#namesOf(fact), takerOrderId })
  }

  #frameOf(fact: OrderFact): object {
    if (fact.type === 'MATCHED') return this.matchedFrame(fact)
    const isCounted = fact.type !== 'EXECUTION'
    const index = isCounted ? this.#indexOf(fact) : 0
    return lifecycleFrame(fact, { ...this.#namesOf(fact), index })
  }

  #namesOf(fact: OrderFact): FrameNames {
    const { ids, published } = this.#pipeline
    const shown = published.byId(fact.marketId)
    assert(shown !== undefined, 'an order has a published market')
    const { market } = shown
    return {
      orderId: ids.text(fact.slot, fact.generation),
      marketSlug: market.slug,
      tokenId: fact.outcome === 0 ? market.yesTokenId : market.noTokenId,
      publishedMs: this.#clock(),
    }
  }

  #indexOf({ accountId, seq }: OrderFact): number {
    const place = this.#places.get(accountId)
    if (place === undefined) return 0
    place.index = place.seq === seq ? place.index + 1 : 0
    place.seq = seq
    return place.index
  }
}
