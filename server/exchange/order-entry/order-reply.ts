// Hot path. bench/http.bench.ts
// The 201 of POST /orders (rules §3.5, §12.4), written as text: to build the objects and print them
// cost main more than to decide the order.

import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { RESULT } from '../../../engine/domain/event.ts'
import { type OrderStatus, SIDE } from '../../../engine/domain/order.ts'
import { roundedBps } from '../../../engine/domain/units.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { OrderReceipt, Receipt } from '../publisher/durable-publisher.ts'
import type { OrderIds } from '../read-model/order-ids.ts'
import type { PublishedMarket } from '../read-model/published.ts'
import { averagePrice, orderMarket } from '../read-model/views.ts'
import type { SettlementEvent } from '../settlement/mining.ts'

type Settled = Pick<SettlementEvent, 'status' | 'txHash'>

/** An order that ended counts as canceled once its fill is taken back (rules §5.2). */
function statusOf(receipt: Receipt, settled: Settled | null): OrderStatus {
  const matched = settled?.status === 'FAILED' ? 'CANCELED' : 'MATCHED'
  switch (receipt.result) {
    case RESULT.RESTED:
    case RESULT.HELD:
      return 'LIVE'
    case RESULT.FILLED:
      return matched
    case RESULT.STP_STOPPED:
      return 'CANCELED'
    default:
      return receipt.filledSharesRaw > 0 ? matched : 'UNMATCHED'
  }
}

/** Fields of a market in the reply to its orders; they are fixed at creation, so printed once. */
const marketTexts = new WeakMap<Market, string>()

function marketText(market: Market): string {
  const known = marketTexts.get(market)
  if (known !== undefined) return known
  const text = JSON.stringify(orderMarket(market)).slice(1, -1)
  marketTexts.set(market, text)
  return text
}

let isoOfMs = -1
let lastIso = ''

/** Keeps the last text: the orders of one batch share their millisecond. */
function isoOf(nowMs: number): string {
  if (nowMs !== isoOfMs) {
    lastIso = isoText(nowMs)
    isoOfMs = nowMs
  }
  return lastIso
}

function makerMatches(receipt: Receipt, createdAt: string, orderIds: readonly string[]): string {
  let text = ''
  for (let index = 0; index < receipt.makers.length; index++) {
    if (index > 0) text += ','
    text +=
      `{"id":"${receipt.seq}-${index}","createdAt":"${createdAt}",` +
      `"matchedSize":"${receipt.makers[index].sizeRaw}","orderId":"${orderIds[index]}"}`
  }
  return text
}

function fillsText({ filledSharesRaw, filledCollateralRaw, leftRaw }: Receipt): string {
  const average = averagePrice(filledSharesRaw, filledCollateralRaw)
  const price = average === null ? 'null' : `"${average}"`
  return `"filledSize":"${filledSharesRaw}","remainingSize":"${leftRaw}","averagePrice":${price}`
}

/** What an order moved in one trade, before its fee. */
export type Fills = Pick<Receipt, 'filledSharesRaw' | 'filledCollateralRaw' | 'feeRaw'>

/** `totalsRaw` as JSON text; a buy's fee is in shares, a sell's in collateral (rules §3.5). */
export function totalsText(side: number, receipt: Fills): string {
  const { filledSharesRaw, filledCollateralRaw, feeRaw } = receipt
  const contractsFee = side === SIDE.BUY ? feeRaw : 0
  const usdFee = side === SIDE.BUY ? 0 : feeRaw
  return (
    `{"contractsGross":"${filledSharesRaw}","contractsFee":"${contractsFee}",` +
    `"contractsNet":"${filledSharesRaw - contractsFee}","usdGross":"${filledCollateralRaw}",` +
    `"usdFee":"${usdFee}","usdNet":"${filledCollateralRaw - usdFee}"}`
  )
}

/** The fee of the fill, in basis points of what it received, rounded half up (rules §3.5). */
export function paidFeeBps(side: number, receipt: Fills): number {
  const grossRaw = side === SIDE.BUY ? receipt.filledSharesRaw : receipt.filledCollateralRaw
  return roundedBps(receipt.feeRaw, grossRaw)
}

function executionText(
  receipt: OrderReceipt,
  stpCanceledIds: readonly string[],
  settled: Settled | null,
): string {
  const matched = receipt.filledSharesRaw > 0
  const stopped = receipt.result === RESULT.STP_STOPPED
  const held = receipt.result === RESULT.HELD
  const unmatched = stopped ? 'CANCELED' : held ? 'DELAYED' : 'UNMATCHED'
  const status = matched ? (settled?.status ?? 'MATCHED') : unmatched
  const txHash = settled?.txHash == null ? 'null' : `"${settled.txHash}"`
  let text = `{"matched":${matched},"settlementStatus":"${status}"`
  if (receipt.clientOrderId !== '')
    text += `,"clientOrderId":${JSON.stringify(receipt.clientOrderId)}`
  if (held) text += `,"eligibleAt":"${isoOf(receipt.nowMs + receipt.takerDelayMs)}"`
  if (stopped) text += ',"reason":"STP_TAKER_REJECTED"'
  if (stpCanceledIds.length > 0) text += `,"stpMakerCancels":${JSON.stringify(stpCanceledIds)}`
  if (matched) text += `,"tradeEventId":"${receipt.seq}","txHash":${txHash}`
  return (
    `${text},"feeRateBps":${receipt.feeBps},` +
    `"effectiveFeeBps":${paidFeeBps(receipt.side, receipt)},` +
    `"totalsRaw":${totalsText(receipt.side, receipt)}}`
  )
}

/** The intake's fields are put in as they are. `settled` holds the status after MATCHED. */
export function orderReplyText(
  receipt: OrderReceipt,
  { market }: PublishedMarket,
  ids: OrderIds,
  settled: Settled | null = null,
): string {
  const createdAt = isoOf(receipt.nowMs)
  const status = statusOf(receipt, settled)
  const { makers, stpCanceled, clientOrderId } = receipt
  const isAlone = makers.length === 0 && stpCanceled.length === 0
  const [id, ...others] = isAlone
    ? [ids.text(receipt.slot, receipt.generation)]
    : ids.texts([receipt, ...makers, ...stpCanceled])
  const stpCanceledIds = others.slice(makers.length)
  return (
    `{"order":{"id":"${id}",${receipt.orderFields},"marketId":${receipt.marketId},` +
    `"ownerId":${receipt.accountId},"createdAt":"${createdAt}","status":"${status}",` +
    `${fillsText(receipt)},` +
    (clientOrderId === '' ? '' : `"clientOrderId":${JSON.stringify(clientOrderId)},`) +
    `${marketText(market)}},` +
    `"makerMatches":[${makerMatches(receipt, createdAt, others)}],` +
    `"execution":${executionText(receipt, stpCanceledIds, settled)}}`
  )
}
