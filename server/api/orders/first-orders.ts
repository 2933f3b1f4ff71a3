// Finds the order that a client sent earlier, for the refusal of a duplicate, and its first reply.
// The reply is rebuilt from the tables: it is not stored (rules §4.5).

import type { PlaceOrder } from '../../../engine/domain/command.ts'
import { RESULT } from '../../../engine/domain/event.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { ORDER_STATUSES, POLICY_OF_TYPE } from '../../../engine/domain/order.ts'
import { flagBits } from '../../../engine/domain/order-flags.ts'
import {
  type FirstOrder,
  type FirstRow,
  firstOrder,
} from '../../../persistence/query/read/orders/first-order.ts'
import type { First } from '../../exchange/order-entry/order-answer.ts'
import { orderReplyText } from '../../exchange/order-entry/order-reply.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { signedFields } from '../../exchange/read-model/views.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import type { PrivateReads } from '../reads/private-reads.ts'

/** Whether a later order has the same terms as the first. */
function isSame(order: PlaceOrder, first: FirstRow): boolean {
  return (
    order.marketId === first.marketId &&
    order.side === first.side &&
    order.outcome === first.outcome &&
    order.orderType === first.orderType &&
    order.marketForm === (first.marketForm === 1) &&
    flagBits(order) === first.flags &&
    order.priceTicks === first.priceTicks &&
    order.sizeRaw === first.sizeRaw &&
    order.spendRaw === first.spendRaw &&
    order.expirationSec === first.expirationSec
  )
}

function resultOf({ order, isStopped }: FirstOrder, leftRaw: number): number {
  if (order.heldUntilMs !== null) return RESULT.HELD
  if (isStopped) return RESULT.STP_STOPPED
  if (!POLICY_OF_TYPE[order.orderType].rests) return RESULT.KILLED
  return leftRaw > 0 ? RESULT.RESTED : RESULT.FILLED
}

export class FirstOrders {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads
  readonly #archive: ArchivedMarkets

  constructor(pipeline: Pipeline, reads: PrivateReads, archive: ArchivedMarkets) {
    this.#pipeline = pipeline
    this.#reads = reads
    this.#archive = archive
  }

  /**
   * The order with the hash of this one or, if there is none, with its client id. `replays`
   * requests its first reply too, which is returned for a day and only for the same terms. Null
   * when no order is known or the first left no trace, undefined on a read timeout.
   */
  async find(order: PlaceOrder, replays: boolean): Promise<First | null | undefined> {
    // The first order may be decided and not durable yet.
    await this.#pipeline.durable()
    const { accountId, hashHigh, hashLow, clientOrderId } = order
    const request = {
      accountId,
      hashHigh,
      hashLow,
      clientOrderId,
      makersMax: LIMITS.replyOrdersMax,
    }
    const found = await this.#reads.read(firstOrder, request, { profileId: accountId })
    if (found === undefined || found === null) return found
    const { slot, generation, status, placedMs, marketId } = found.order
    const orderId = this.#pipeline.ids.text(slot, generation)
    const isAgain = isSame(order, found.order)
    const isNamed = clientOrderId !== '' && found.order.clientOrderId === clientOrderId
    const isOther = isNamed && !isAgain
    const first: First = { orderId, status: ORDER_STATUSES[status], isOther }
    const ageMs = this.#pipeline.sequencer.nowMs() - placedMs
    if (!replays || ageMs > LIMITS.replayMs || !isAgain) return first
    const markets = await this.#archive.byIds([marketId], { profileId: accountId })
    const market = markets?.get(marketId)
    return market === undefined ? undefined : { ...first, text: this.#textOf(found, market) }
  }

  /** The reply to the first order, with the current settlement of its trade. */
  #textOf(found: FirstOrder, published: PublishedMarket): string {
    const { order, trade, ownMakers } = found
    const filledSharesRaw = trade?.sharesRaw ?? 0
    const leftRaw = order.sizeRaw === 0 ? 0 : order.sizeRaw - filledSharesRaw
    const { slot, generation, accountId, marketId, side, feeBps, placedMs: nowMs } = order
    const receipt = {
      slot,
      generation,
      accountId,
      marketId,
      side,
      feeBps,
      nowMs,
      leftRaw,
      filledSharesRaw,
      seq: order.placedSeq,
      result: resultOf(found, leftRaw),
      filledCollateralRaw: trade?.collateralRaw ?? 0,
      feeRaw: trade?.feeRaw ?? 0,
      makers: trade?.makers ?? [],
      stpCanceled: ownMakers,
      takerDelayMs: (order.heldUntilMs ?? nowMs) - nowMs,
      clientOrderId: order.clientOrderId ?? '',
      orderFields: JSON.stringify(signedFields(order, published.market)).slice(1, -1),
    }
    return orderReplyText(receipt, published, this.#pipeline.ids, trade?.settlement ?? null)
  }
}
