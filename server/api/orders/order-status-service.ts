// Orders in the replies of POST /orders/status/batch (rules §3.5, §5.2, §12.4). The schema is that
// of POST /orders, with the newest trade of the order instead of its first result, and the totals
// of all its trades.

import type { AccountId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type {
  OrderName,
  OrderStatus,
  TradePart,
} from '../../../persistence/query/read/orders/order-status.ts'
import { orderStatuses } from '../../../persistence/query/read/orders/order-status.ts'
import { paidFeeBps, totalsText } from '../../exchange/order-entry/order-reply.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { OrderIds } from '../../exchange/read-model/order-ids.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { orderView } from '../../exchange/read-model/views.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'

/** An item of the request: an order by its order id or client order id. */
export type RequestedOrder = { readonly orderId: string } | { readonly clientOrderId: string }

/** No order has slot 0. */
const NO_ORDER = { slot: 0, generation: 0 } as const

/** The orders that a maker traded with are not disclosed to it: they belong to other profiles. */
function makersText(trade: TradePart | null, ids: OrderIds): string {
  if (trade !== null && !trade.isTaker) return ''
  if (trade === null) return '"makerMatches":[],'
  const { seq, makers } = trade
  const createdAt = isoText(trade.tradedMs)
  const orderIds = ids.texts(makers)
  const reported = makers.map(
    ({ sizeRaw }, position) =>
      `{"id":"${seq}-${position}","createdAt":"${createdAt}",` +
      `"matchedSize":"${sizeRaw}","orderId":"${orderIds[position]}"}`,
  )
  return `"makerMatches":[${reported.join(',')}],`
}

/** The effect of self-trade prevention when the order arrived, even if the order traded later. */
function stpFields({ isStopped, ownMakers }: OrderStatus, ids: OrderIds): object {
  const canceled = ids.texts(ownMakers)
  return {
    ...(isStopped ? { reason: 'STP_TAKER_REJECTED' } : {}),
    ...(canceled.length === 0 ? {} : { stpMakerCancels: canceled }),
  }
}

function executionText(found: OrderStatus, ids: OrderIds): string {
  const { order, trade } = found
  const { clientOrderId, eligibleMs } = order
  const fills = {
    filledSharesRaw: order.filledRaw,
    filledCollateralRaw: order.collateralRaw,
    feeRaw: order.feeRaw,
  }
  const isHeld = eligibleMs !== null
  const head = {
    matched: trade !== null,
    // Rules §5.2: an order that never traded is UNMATCHED, even if it was stopped or killed on
    // arrival.
    settlementStatus: isHeld ? 'DELAYED' : (trade?.settlement.status ?? 'UNMATCHED'),
    ...(clientOrderId === null ? {} : { clientOrderId }),
    ...(eligibleMs === null ? {} : { eligibleAt: isoText(eligibleMs) }),
    ...stpFields(found, ids),
    ...(trade === null ? {} : { tradeEventId: String(trade.seq), txHash: trade.settlement.txHash }),
    feeRateBps: order.feeBps,
    effectiveFeeBps: paidFeeBps(order.side, fills),
  }
  return `${JSON.stringify(head).slice(0, -1)},"totalsRaw":${totalsText(order.side, fills)}}`
}

/** The JSON text of `data`: order, makerMatches if the order was the taker, execution. */
export function orderStatusText(
  found: OrderStatus,
  published: PublishedMarket,
  ids: OrderIds,
): string {
  return (
    `{"order":${JSON.stringify(orderView(found.order, published, ids))},` +
    `${makersText(found.trade, ids)}"execution":${executionText(found, ids)}}`
  )
}

export class OrderStatuses {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads
  readonly #archive: ArchivedMarkets

  constructor(pipeline: Pipeline, reads: PrivateReads, archive: ArchivedMarkets) {
    this.#pipeline = pipeline
    this.#reads = reads
    this.#archive = archive
  }

  /**
   * The profile's orders, in the requested order; null for an item that names no order of the
   * profile. Undefined when the tables did not catch up in time. All items share one query to the
   * tables.
   */
  async find(
    accountId: AccountId,
    params: readonly RequestedOrder[],
    requester: Requester,
  ): Promise<readonly (FoundOrder | null)[] | undefined> {
    const names = params.map((each) => this.#nameOf(each))
    const bounds = {
      makersMax: LIMITS.statusMakersMax,
      makersInAllMax: LIMITS.statusMakersInAllMax,
    }
    const found = await this.#reads.read(orderStatuses, { accountId, names, ...bounds }, requester)
    if (found === undefined) return undefined
    const marketIds = found.flatMap((status) => (status === null ? [] : [status.order.marketId]))
    const markets = await this.#archive.byIds(marketIds, requester)
    if (markets === undefined) return undefined
    return found.map((status) => (status === null ? null : this.#reported(status, markets)))
  }

  /** Unknown ids are looked up too, so they cost the same as the orders of others. */
  #nameOf(params: RequestedOrder): OrderName {
    if ('clientOrderId' in params) return { clientOrderId: params.clientOrderId.trim() }
    return this.#pipeline.ids.parse(params.orderId.toLowerCase()) ?? NO_ORDER
  }

  #reported(status: OrderStatus, markets: ReadonlyMap<number, PublishedMarket>): FoundOrder | null {
    const { ids } = this.#pipeline
    const { order } = status
    const market = markets.get(order.marketId)
    if (market === undefined) return null
    return {
      orderId: ids.text(order.slot, order.generation),
      clientOrderId: order.clientOrderId,
      text: orderStatusText(status, market, ids),
    }
  }
}

export interface FoundOrder {
  readonly orderId: string
  readonly clientOrderId: string | null
  /** JSON of `data`. */
  readonly text: string
}
