// Places of resting orders in the queues of their prices (rules §4.11).

import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { OrderName } from '../../exchange/sequencer/sequencer.ts'
import type { CallCharges } from '../../messages/call.ts'
import type { Cancels } from './cancels.ts'

interface Place {
  readonly orderId: string
  readonly ordersAhead: number
  readonly sizeAhead: string
  readonly isExact: boolean
}

export class QueuePlaces {
  readonly #pipeline: Pipeline
  readonly #cancels: Cancels

  constructor(pipeline: Pipeline, cancels: Cancels) {
    this.#pipeline = pipeline
    this.#cancels = cancels
  }

  /** The place of one order of the profile, once all that it rests on is durable. */
  async of(profileId: ProfileId, id: string, charges?: CallCharges): Promise<Place | Reject> {
    const { orders } = this.#pipeline.clearing
    const order = this.#pipeline.ids.parse(id.toLowerCase())
    const isOwn =
      order !== null &&
      orders.isLive(order.slot, order.generation) &&
      orders.accountOf(order.slot) === profileId
    if (!isOwn) return this.#cancels.whyNotOpen(profileId, { orderId: id })
    const places = await this.#ahead(orders.marketOf(order.slot), [order], charges)
    if (places instanceof Reject) return places
    return places[0] ?? REJECT.ORDER_NOT_RESTING
  }

  /** The places of those of the newest live orders of the profile in a market that rest. */
  inMarket(
    profileId: ProfileId,
    marketId: MarketId,
    charges?: CallCharges,
  ): Promise<readonly Place[] | Reject> {
    const live = this.#pipeline.cancels.live(profileId, marketId, LIMITS.placesMax)
    return this.#ahead(marketId, live, charges)
  }

  async #ahead(
    marketId: MarketId,
    orders: readonly OrderName[],
    charges?: CallCharges,
  ): Promise<Place[] | Reject> {
    const { clearing, shards, ids } = this.#pipeline
    const { book = 0 } = clearing.catalogue.byId(marketId) ?? {}
    const seq = clearing.lastSeq
    const found = book === 0 ? new Float64Array(0) : await shards.of(book).ahead(orders)
    if (found === null) return REJECT.OVERLOADED
    await this.#pipeline.durable(seq)
    const orderIds = ids.texts(orders)
    let counted = 0
    const places = orderIds.flatMap((each, index) => {
      const ordersAhead = found[index * 2] ?? -1
      if (ordersAhead < 0) return []
      counted += ordersAhead
      const isExact = ordersAhead < LIMITS.aheadCountedMax && counted < LIMITS.aheadCountedInAllMax
      return { orderId: each, ordersAhead, sizeAhead: String(found[index * 2 + 1]), isExact }
    })
    charges?.counted(counted)
    return places
  }
}
