import type { Clearing } from '../../../engine/core/clearing.ts'
import type { AccountId, ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import {
  type OrderName,
  type OrderStatus,
  orderStatuses,
  type TradePart,
} from '../../../persistence/query/read/orders/order-status.ts'
import { paidFeeBps, totalsText } from '../../exchange/order-entry/order-reply.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { OrderIds } from '../../exchange/read-model/order-ids.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { orderView } from '../../exchange/read-model/views.ts'
import type { ControlBody } from '../../exchange/sequencer/sequencer.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'
import type { CancelEverywhere } from './cancel-everywhere.ts'
import type { CancelReplace } from './cancel-replace-service.ts'
import type { Cancels } from './cancels.ts'

// Sets and clears the heartbeat deadline of a client (rules §4.9).

interface Beat {
  /** Null when no deadline is armed. */
  readonly cancelAtMs: TimeMs | null
  /** Server time at which the heartbeat was decided. */
  readonly nowMs: TimeMs
}

export class HeartbeatChanges {
  readonly #pipeline: Pipeline

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
  }

  /**
   * Arms the profile's deadline, replacing an older one; null disarms it. Returns VALIDATION when
   * the deadline is less than five seconds ahead, and HEARTBEAT_CANCELING while the cancels of an
   * older deadline are in progress.
   */
  async beat(profileId: ProfileId, cancelAtMs: TimeMs | null): Promise<Beat | Reject> {
    const { clearing, sequencer } = this.#pipeline
    let decidedMs: TimeMs = 0
    const refused = await this.#pipeline.change((nowMs) => {
      decidedMs = nowMs
      if (cancelAtMs !== null && cancelAtMs < nowMs + LIMITS.heartbeatAheadMsMin) {
        return REJECT.VALIDATION
      }
      if (sequencer.heartbeats.isCanceling(profileId, nowMs)) return REJECT.HEARTBEAT_CANCELING
      return changeOf(clearing, profileId, cancelAtMs)
    })
    return refused ?? { cancelAtMs, nowMs: decidedMs }
  }
}

/** The command for a heartbeat; null when there is nothing to disarm. */
function changeOf(
  { heartbeats }: Clearing,
  profileId: ProfileId,
  cancelAtMs: TimeMs | null,
): ControlBody | null {
  if (cancelAtMs !== null) return { kind: 'armHeartbeat', profileId, cancelAtMs }
  return heartbeats.isArmed(profileId) ? { kind: 'disarmHeartbeat', profileId } : null
}

// Orders in the replies of POST /orders/status/batch (rules §3.5, §5.2, §12.4). The schema is that
// of POST /orders, with the newest trade of the order instead of its first result, and the totals
// of all its trades.

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
function orderStatusText(found: OrderStatus, published: PublishedMarket, ids: OrderIds): string {
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

/** What the routes of this folder need. */
export interface OrderServices extends SharedServices {
  readonly cancels: Cancels
  readonly everywhere: CancelEverywhere
  readonly replaces: CancelReplace
  readonly statuses: OrderStatuses
  readonly heartbeats: HeartbeatChanges
}
