// Orders as POST /orders/status/batch tells them (rules §3.5, §5.2, §12.4). The shape is the reply
// of POST /orders, with the newest trade of the order in place of its arrival, and the totals of
// all its trades.

import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { AccountId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { ORDER_STATUSES, ORDER_TYPES } from '../../../engine/domain/order.ts'
import { PRICE_ONE_TICKS } from '../../../engine/domain/units.ts'
import type {
  OrderName,
  OrderStatus,
  SignedOrderRow,
  TradePart,
} from '../../../persistence/query/read/orders/order-status.ts'
import { orderStatuses } from '../../../persistence/query/read/orders/order-status.ts'
import { formatAddress, ZERO_ADDRESS } from '../../crypto/address.ts'
import { isoText } from '../../http/iso-text.ts'
import { marketText, paidFeeBps, totalsText } from '../../pipeline/orders/order-reply.ts'
import type { Pipeline } from '../../pipeline/pipeline.ts'
import type { OrderIds } from '../../pipeline/shown/orders/order-ids.ts'
import type { PublishedMarket } from '../../pipeline/shown/published.ts'
import { amountsOf, orderFills } from '../../pipeline/shown/views.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import type { Asker, PrivateReads } from '../private-reads.ts'

/** An item of the request: an order by its id or by the id its client gave it. */
export type AskedOrder = { readonly orderId: string } | { readonly clientOrderId: string }

/** No order has slot 0. */
const NO_ORDER = { slot: 0, generation: 0 } as const

let addressHex = ''
let addressOfHex = ''

/**
 * Keeps the last text: the orders of one reply mostly share their maker, who is also the signer.
 */
function addressText(hex: string): string {
  if (hex !== addressHex) {
    addressOfHex = formatAddress(Buffer.from(hex, 'hex'))
    addressHex = hex
  }
  return addressOfHex
}

/** The order as it was signed, in the fields of a reply. */
export function signedFields(order: SignedOrderRow, market: Market) {
  const { makerRaw, takerRaw } = amountsOf(order)
  return {
    salt: String(BigInt(`0x${order.saltHex || '0'}`)),
    maker: addressText(order.makerHex),
    signer: addressText(order.signerHex),
    taker: ZERO_ADDRESS,
    tokenId: order.outcome === 0 ? market.yesTokenId : market.noTokenId,
    makerAmount: makerRaw,
    takerAmount: takerRaw,
    expiration: String(order.expirationSec),
    nonce: 0,
    feeRateBps: order.signedFeeBps,
    side: order.side,
    signatureType: order.signatureType,
    signature: `0x${order.signatureHex}`,
    orderType: ORDER_TYPES[order.orderType],
    price: order.marketForm === 1 ? null : order.priceTicks / PRICE_ONE_TICKS,
  }
}

function orderText({ order }: OrderStatus, published: PublishedMarket, ids: OrderIds): string {
  const { market } = published
  const fields = {
    id: ids.text(order.slot, order.generation),
    ...signedFields(order, market),
    marketId: order.marketId,
    ownerId: order.accountId,
    createdAt: isoText(order.placedMs),
    status: ORDER_STATUSES[order.status],
    ...orderFills(order),
  }
  return `${JSON.stringify(fields).slice(0, -1)},"market":${marketText(market)}}`
}

/** A maker is not told which orders it met: they belong to other profiles. */
function makersText(trade: TradePart | null, ids: OrderIds): string {
  if (trade !== null && !trade.isTaker) return ''
  if (trade === null) return '"makerMatches":[],'
  const { seq, makers } = trade
  const createdAt = isoText(trade.tradedMs)
  const orderIds = ids.texts(makers)
  const told = makers.map(
    ({ sizeRaw }, position) =>
      `{"id":"${seq}-${position}","createdAt":"${createdAt}",` +
      `"matchedSize":"${sizeRaw}","orderId":"${orderIds[position]}"}`,
  )
  return `"makerMatches":[${told.join(',')}],`
}

/** What self-trade prevention did when the order arrived, even if the order traded later. */
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
    // Rules §5.2: an order that never traded is UNMATCHED, also when its arrival was stopped or
    // killed.
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

/** The JSON text of `data`: order, makerMatches where the order was the taker, execution. */
export function orderStatusText(
  found: OrderStatus,
  published: PublishedMarket,
  ids: OrderIds,
): string {
  return (
    `{"order":${orderText(found, published, ids)},` +
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
   * The profile's orders, in the order asked; null for an item that names no order of the profile.
   * Undefined when the tables did not catch up in time. One question to the tables serves all
   * items.
   */
  async find(
    accountId: AccountId,
    asked: readonly AskedOrder[],
    asker: Asker,
  ): Promise<readonly (FoundOrder | null)[] | undefined> {
    const names = asked.map((each) => this.#nameOf(each))
    const bounds = {
      makersMax: LIMITS.statusMakersMax,
      makersInAllMax: LIMITS.statusMakersInAllMax,
    }
    const found = await this.#reads.read(orderStatuses, { accountId, names, ...bounds }, asker)
    if (found === undefined) return undefined
    const marketIds = found.flatMap((status) => (status === null ? [] : [status.order.marketId]))
    const markets = await this.#archive.byIds(marketIds, asker)
    if (markets === undefined) return undefined
    return found.map((status) => (status === null ? null : this.#told(status, markets)))
  }

  /** An id that the exchange never gave is looked up too, so it costs what others' orders cost. */
  #nameOf(asked: AskedOrder): OrderName {
    if ('clientOrderId' in asked) return { clientOrderId: asked.clientOrderId.trim() }
    return this.#pipeline.ids.parse(asked.orderId.toLowerCase()) ?? NO_ORDER
  }

  #told(status: OrderStatus, markets: ReadonlyMap<number, PublishedMarket>): FoundOrder | null {
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
