// Builds `orderEvent` frames from events (rules §5.3). Price and remaining size are numbers in
// lifecycle frames and text in terminal frames, as in the public client's types.

import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { roundedBps, type TimeMs } from '../../../../engine/domain/units.ts'
import type { EndMark, EventMark } from '../../../../persistence/query/read/orders/missed-events.ts'
import type { MissedFrame } from '../../../../persistence/query/read/orders/missed-frames.ts'
import type { TradePart } from '../../../../persistence/query/read/trade-parts.ts'
import type { SubscriptionRequest } from '../../../edge/sockets/channels.ts'
import type { Pipeline } from '../../../exchange/pipeline.ts'
import type { OrderEvent } from '../../../exchange/read-model/order-event-feed.ts'
import type { OrderIds } from '../../../exchange/read-model/order-ids.ts'
import type { PublishedMarket } from '../../../exchange/read-model/published.ts'
import { averagePrice } from '../../../exchange/read-model/views.ts'
import type { BlockName } from '../../../exchange/settlement/mining.ts'
import { isoText } from '../../../messages/iso-text.ts'
import { invalid, type Refusal } from '../../../messages/refusal.ts'

/**
 * Ids for the frames of one owner in one command: one for each order that it may have, and more.
 * The 2^34 commands that this leaves to a safe integer fill four terabytes of journal.
 */
const IDS_PER_COMMAND = 2 ** 19
assert(LIMITS.openOrdersPerProfileMax < IDS_PER_COMMAND - 1, 'no command runs out of ids')
const TICKS_ONE = 1000

/** The fields of a frame that its event does not have. */
interface FrameNames {
  readonly orderId: string
  readonly marketSlug: string
  /** CTF token id, decimal. */
  readonly tokenId: string
  readonly publishedMs: number
}

type Matched = Extract<OrderEvent, { type: 'MATCHED' }>
type Lifecycle = Exclude<OrderEvent, Matched>

/** An id that increases with each command and within it. It is the same after a restart. */
function lifecycleId(seq: Seq, index: number): number {
  assert(index < IDS_PER_COMMAND, 'an event of a command has its own id')
  return seq * IDS_PER_COMMAND + index
}

/** The command of a lifecycle id, and the index of its frame. */
export function placeOfId(id: number): { readonly seq: Seq; readonly index: number } {
  const seq = Math.floor(id / IDS_PER_COMMAND)
  return { seq, index: id - seq * IDS_PER_COMMAND }
}

/** The id of MINED or FAILED for the part of an order in a trade. */
function endIdOf(tradeSeq: Seq, orderId: string): string {
  return `settlement:${tradeSeq}:${orderId}`
}

/** Average price of a trade part in its own token; 0 without a fill. */
function averageOf(part: { sharesRaw: number; collateralRaw: number }): string {
  return averagePrice(part.sharesRaw, part.collateralRaw) ?? '0'
}

function outcomeOf({ outcome }: OrderEvent): 'YES' | 'NO' {
  return outcome === OUTCOME.YES ? 'YES' : 'NO'
}

function ownerFields(event: OrderEvent, names: FrameNames) {
  const { clientOrderId, side } = event
  return {
    orderId: names.orderId,
    ...(clientOrderId === '' ? {} : { clientOrderId }),
    userId: event.accountId,
    marketId: String(event.marketId),
    marketSlug: names.marketSlug,
    tokenId: names.tokenId,
    outcome: outcomeOf(event),
    side: side === SIDE.BUY ? 'BUY' : 'SELL',
  }
}

function times(event: OrderEvent, { publishedMs }: FrameNames) {
  const occurredAt = isoText(event.nowMs)
  const isMatch = event.type === 'EXECUTION' ? event.status !== 'KILLED' : event.type === 'UPDATE'
  return {
    timestamp: occurredAt,
    occurredAt,
    ...(isMatch ? { matchedAt: occurredAt } : {}),
    publishedAt: isoText(publishedMs),
  }
}

/** A PLACEMENT, UPDATE or CANCELLATION, or the terminal EXECUTION, which needs no `index`. */
export function lifecycleFrame(
  event: Lifecycle,
  names: FrameNames & { readonly index: number },
): object {
  const own = {
    source: 'OME',
    // A decrease is an update without a trade.
    type: event.type === 'DECREASE' ? 'UPDATE' : event.type,
    ...ownerFields(event, names),
    token: names.tokenId,
  }
  if (event.type === 'EXECUTION') {
    const isMarket = event.priceTicks === 0
    return {
      ...own,
      eventId: `terminal:${names.orderId}`,
      status: event.status,
      price: isMarket ? averageOf(event.filled) : String(event.priceTicks / TICKS_ONE),
      remainingSize: String(event.remainingRaw),
      filledSize: String(event.filled.sharesRaw),
      averagePrice: averagePrice(event.filled.sharesRaw, event.filled.collateralRaw),
      ...times(event, names),
    }
  }
  const canceled = event.type === 'CANCELLATION' ? event : null
  return {
    ...own,
    eventId: lifecycleId(event.seq, names.index),
    price: event.priceTicks / TICKS_ONE,
    remainingSize: event.remainingRaw,
    ...(canceled === null ? {} : { filledSize: String(canceled.filledRaw) }),
    ...(canceled === null || canceled.reason === null ? {} : { reason: canceled.reason }),
    ...times(event, names),
  }
}

/** SETTLEMENT MATCHED: one owner's part in a trade, with its estimated fee. */
function matchedFrame(event: Matched, names: FrameNames & { readonly takerOrderId: string }) {
  const { sharesRaw, collateralRaw, feeRaw, side } = event
  const isBuy = side === SIDE.BUY
  const grossRaw = isBuy ? sharesRaw : collateralRaw
  const limit = String(event.priceTicks / TICKS_ONE)
  const occurred = times(event, names)
  const fee = String(feeRaw)
  return {
    source: 'SETTLEMENT',
    type: 'MATCHED',
    eventId: `matched:${event.seq}:${names.orderId}`,
    tradeEventId: String(event.seq),
    ...ownerFields(event, names),
    takerOrderId: names.takerOrderId,
    token: outcomeOf(event),
    price: event.isTaker ? averageOf(event) : limit,
    amountContracts: String(sharesRaw),
    amountCollateral: String(collateralRaw),
    configuredFeeRateBps: event.feeBps,
    effectiveFeeBps: roundedBps(feeRaw, grossRaw),
    ...(isBuy ? { feeAmountContracts: fee } : { feeAmountCollateral: fee }),
    isEstimate: true,
    ...occurred,
    matchedAt: occurred.occurredAt,
  }
}

/** The outcome of a trade on the chain. */
export interface Settled {
  readonly type: 'MINED' | 'FAILED'
  readonly txHash: string | null
  readonly settledMs: number
  readonly takerAccount: string
  readonly makerMatches: readonly object[]
}

/** One maker that a taker matched, at the limit price of the maker's order. */
function makerMatch(part: TradePart, account: string, orderId: string): object {
  const price = String(part.priceTicks / TICKS_ONE)
  return { account, orderId, matchedSize: String(part.sharesRaw), price }
}

/** SETTLEMENT MINED or FAILED: the same part again, no longer an estimate. */
export function settledFrame(matched: ReturnType<typeof matchedFrame>, settled: Settled): object {
  const { isEstimate: _isEstimate, eventId: _eventId, ...part } = matched
  const { type, txHash, settledMs, takerAccount, makerMatches } = settled
  const settledAt = isoText(settledMs)
  return {
    ...part,
    type,
    eventId: endIdOf(Number(part.tradeEventId), part.orderId),
    takerAccount,
    makerMatches,
    ...(txHash === null ? {} : { txHash }),
    timestamp: settledAt,
    occurredAt: settledAt,
  }
}

/** `tx` (rules §12.8): a trade of the caller is on the chain, or failed. */
export function txFrame(
  matched: ReturnType<typeof matchedFrame>,
  { type, txHash, settledMs }: Settled,
  conditionId: string,
): object {
  return {
    userId: matched.userId,
    ...(txHash === null ? {} : { txHash }),
    status: type === 'MINED' ? 'CONFIRMED' : 'FAILED',
    source: 'CLOB',
    timestamp: isoText(settledMs),
    marketSlug: matched.marketSlug,
    tokenId: matched.tokenId,
    conditionId,
    amountContracts: matched.amountContracts,
    amountCollateral: matched.amountCollateral,
    price: matched.price,
    side: matched.side,
  }
}

// The marks of a reconnecting client: the ids of the newest events that it has (rules §5.3).

export interface Marks {
  readonly after: EventMark
  readonly afterEnd: EndMark | null
  /** The field that holds the end of a trade. */
  readonly endField: MarkField
}

type MarkField = 'afterEventId' | 'afterSettlementId'

const OF_TRADE = /^(matched|settlement):(\d{1,15}):(.{36})$/
const TERMINAL = /^terminal:(.{36})$/
const NOT_OURS = 'is not an eventId of an orderEvent of this account'

/** An id that the account's own frames never had. */
export function unknownMark(field: MarkField): Refusal {
  return invalid({ field, message: NOT_OURS })
}

/** Null for text that is not the id of a trade frame. */
function endOf(text: string, ids: OrderIds): EndMark | null {
  const [, , tradeSeq, orderId] = OF_TRADE.exec(text) ?? []
  const order = orderId === undefined ? null : ids.parse(orderId)
  return order === null ? null : { tradeSeq: Number(tradeSeq), ...order }
}

/** Null for text that is not the id of a frame. */
function markOf(text: string, ids: OrderIds): EventMark | null {
  const [, orderId] = TERMINAL.exec(text) ?? []
  const order = orderId === undefined ? null : ids.parse(orderId)
  if (order !== null) return { kind: 'terminal', ...order }
  // A trade ends after its match, so a client with the end has the match.
  const matched = endOf(text, ids)
  return matched === null ? null : { kind: 'matched', ...matched }
}

/** Null when the client sends no mark, so that it receives only new events. */
export function marksOf(requested: SubscriptionRequest, ids: OrderIds): Marks | Refusal | null {
  const { afterEventId: event, afterSettlementId } = requested
  if (event === undefined) {
    if (afterSettlementId === undefined) return null
    return invalid({
      field: 'afterEventId',
      message: 'must be sent together with afterSettlementId',
    })
  }
  const isNumber = typeof event === 'number'
  const after = isNumber ? { kind: 'number' as const, ...placeOfId(event) } : markOf(event, ids)
  if (after === null) return unknownMark('afterEventId')
  const named = afterSettlementId ?? (isNumber ? '' : event)
  const afterEnd = named.startsWith('settlement:') ? endOf(named, ids) : null
  if (afterSettlementId !== undefined && afterEnd === null) return unknownMark('afterSettlementId')
  const endField = afterSettlementId === undefined ? 'afterEventId' : 'afterSettlementId'
  return { after, afterEnd, endField }
}

// Builds the frames of order events, both live and missed.

/** The end of a trade; the height is 0 when it failed. */
interface TradeEnd extends BlockName {
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
    const isFailed = end.height === 0
    return {
      type: isFailed ? 'FAILED' : 'MINED',
      txHash: isFailed ? null : mining.txHashIn(end, taker.seq),
      settledMs: end.ms,
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
