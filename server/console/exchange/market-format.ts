// How a market reads in lists and in its head.

import { countdown, hourMinute } from '../page/format.ts'
import type { MarketView } from './shapes.ts'

/** The exchange publishes this deadline for none. */
const NO_DEADLINE_MS = 253_402_214_400_000

export function deadlineOf({ expirationTimestamp }: MarketView): number | null {
  return expirationTimestamp >= NO_DEADLINE_MS ? null : expirationTimestamp
}

export function isOpen({ status }: MarketView): boolean {
  return status === 'FUNDED' || status === 'FUNDED_FLAGGED'
}

/** Whether the exchange shows a book of it (rules §12.3). */
export function hasBook({ status, tradeType }: MarketView): boolean {
  return tradeType === 'clob' && (status === 'FUNDED' || status === 'CREATED')
}

/** A child of a group by its short name. */
export function nameOf({ proxyTitle, title }: MarketView): string {
  return proxyTitle ?? title
}

const PERCENT = 100

function payoutOf({ winningOutcomeIndex, payoutNumerators }: MarketView): number {
  if (payoutNumerators === null) return winningOutcomeIndex === 0 ? 1 : 0
  const [yes = 0, no = 0] = payoutNumerators
  return yes / Math.max(1, yes + no)
}

/** The price of YES as published, 0 to 1, or what it pays; pools publish percent. */
export function publishedPrice(market: MarketView): number | null {
  if (market.status === 'RESOLVED') return payoutOf(market)
  const { prices, tradeType } = market
  const yes = prices?.[0]
  if (yes === undefined) return null
  return tradeType === 'amm' ? yes / PERCENT : yes
}

export function endWords(market: MarketView, nowMs: number): string {
  const deadlineMs = deadlineOf(market)
  if (market.status === 'RESOLVED') return 'resolved'
  if (deadlineMs === null) return '–'
  return deadlineMs <= nowMs ? 'ended' : countdown(deadlineMs, nowMs)
}

/** How it was decided, like `YES won` or `Split: YES 30%, NO 70%`; empty before. */
function outcomeWords({ winningOutcomeIndex, payoutNumerators }: MarketView): string {
  if (winningOutcomeIndex !== null) return winningOutcomeIndex === 0 ? 'YES won' : 'NO won'
  if (payoutNumerators === null) return ''
  const [yes = 0, no = 0] = payoutNumerators
  const part = (of: number): number => Number(((of * PERCENT) / Math.max(1, yes + no)).toFixed(2))
  return `Split: YES ${part(yes)}%, NO ${part(no)}%`
}

export function statusWords(market: MarketView): string {
  if (market.status === 'RESOLVED') return `Resolved: ${outcomeWords(market)}`
  if (market.status === 'LOCKED') return 'Closed, waits for its resolution'
  if (market.status === 'FUNDED_FLAGGED') return 'Open, its book is not shown'
  if (isOpen(market)) return 'Open'
  return market.startAt === undefined ? 'Not open yet' : 'Opens with its slot'
}

/** The time of a slot within its day, like `02:45 to 02:50`; empty for other markets. */
export function slotWords({ startAt, expirationTimestamp }: MarketView): string {
  if (startAt === undefined) return ''
  return `${hourMinute(startAt)} to ${hourMinute(expirationTimestamp)}`
}
