// The book of a market in replies and frames (rules §11.1, §12.8). A reply and a frame are each
// encoded once per version, for all readers.

import type { TimeMs } from '../../../engine/domain/units.ts'
import { isoText } from '../../messages/iso-text.ts'
import { Depth } from './depth.ts'
import type { PublishedMarket } from './published.ts'

const ONE = 1000
export const price = (ticks: number) => ticks / ONE

export function midTicks(bidTicks: number, askTicks: number): number {
  return (bidTicks + askTicks) / 2
}

/**
 * Counts only levels that hold an order of at least minSize. Without one, the plain best applies
 * (rules §11.1).
 */
export function adjustedMidTicks({ depth }: { readonly depth: Depth }): number {
  const bid = depth.bestBid(true) || depth.bestBid()
  const largeAsk = depth.bestAsk(true)
  return midTicks(bid, largeAsk === ONE ? depth.bestAsk() : largeAsk)
}

const NO_DEPTH = new Depth(0)

/** The public book. A flagged market trades but shows none. */
export function shownDepth({ status, depth }: PublishedMarket): Depth {
  return status === 'FUNDED_FLAGGED' ? NO_DEPTH : depth
}

const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const LEVEL_HEADS = Array.from({ length: ONE }, (_, ticks) =>
  bytesOf(`{"price":${price(ticks)},"size":`),
)
const BID_END = bytesOf(',"side":"BUY"},')
const ASK_END = bytesOf(',"side":"SELL"},')
const LEVEL_BYTES_MAX = LEVEL_HEADS[1].length + `${Number.MAX_SAFE_INTEGER}`.length + ASK_END.length
/** The fields around the levels, with the longest slug and token. */
const AROUND_BYTES_MAX = 4096

/**
 * One book at a time is written here, byte by byte: the objects and texts of 998 levels were 250 KB
 * of garbage each time.
 */
const writing = Buffer.allocUnsafeSlow(ONE * LEVEL_BYTES_MAX + AROUND_BYTES_MAX)

function putBytes(bytes: Uint8Array, at: number): number {
  for (let index = 0; index < bytes.length; index++) writing[at + index] = bytes[index]
  return at + bytes.length
}

const ZERO = 48
const BILLION = 1_000_000_000

/** Writes the digits of a 32-bit integer, padded with zeros to `digitsMin`. */
function putSmall(value: number, digitsMin: number, at: number): number {
  let digits = digitsMin
  for (let most = 10 ** digitsMin; value >= most; most *= 10) digits++
  let left = value | 0
  for (let index = at + digits - 1; index >= at; index--) {
    const rest = (left / 10) | 0
    writing[index] = ZERO + left - rest * 10
    left = rest
  }
  return at + digits
}

function putInteger(value: number, at: number): number {
  if (value < BILLION) return putSmall(value, 1, at)
  const billions = Math.floor(value / BILLION)
  return putSmall(value - billions * BILLION, 9, putSmall(billions, 1, at))
}

/** Writes the levels of one side, best first, separated by commas. */
function putLevels(depth: Depth, isBid: boolean, from: number): number {
  const end = isBid ? BID_END : ASK_END
  let at = from
  for (let step = 1; step < ONE; step++) {
    const ticks = isBid ? ONE - step : step
    const sizeRaw = depth.sizeRaw(ticks, isBid)
    if (sizeRaw > 0) at = putBytes(end, putInteger(sizeRaw, putBytes(LEVEL_HEADS[ticks], at)))
  }
  // The last level has no comma after it.
  return at === from ? at : at - 1
}

/** The fields that replies and frames share besides the levels. */
function numbersView({ market, lastYesTicks }: PublishedMarket, depth: Depth) {
  return {
    tokenId: market.yesTokenId,
    adjustedMidpoint: price(adjustedMidTicks({ depth })),
    midpoint: price(midTicks(depth.bestBid(), depth.bestAsk())),
    lastTradePrice: lastYesTicks === 0 ? null : price(lastYesTicks),
  }
}

/** Writes the fields that replies and frames share, without brackets. */
function putBook(published: PublishedMarket, from: number): number {
  const depth = shownDepth(published)
  let at = from + writing.write('"bids":[', from, 'latin1')
  at = putLevels(depth, true, at)
  at += writing.write('],"asks":[', at, 'latin1')
  at = putLevels(depth, false, at)
  const numbers = JSON.stringify(numbersView(published, depth)).slice(1, -1)
  return at + writing.write(`],${numbers}`, at, 'latin1')
}

/**
 * The book in a reply, encoded once per version. It contains the changes of the newest frame, whose
 * `sequence` it has, and perhaps newer ones. Without sockets, each version has its own number.
 */
export function orderbookBytes(published: PublishedMarket, nowMs: TimeMs): Buffer {
  if (published.bookBytes !== null) return published.bookBytes
  if (published.watch === null) published.sequence++
  const { minSizeRaw, maxSpread } = published.market
  const at = putBook(published, writing.write('{', 0, 'latin1'))
  const tail =
    `,"minSize":"${minSizeRaw}","maxSpread":"${maxSpread}",` +
    `"sequence":${published.sequence},"timestamp":"${isoText(nowMs)}"}`
  const end = at + writing.write(tail, at, 'latin1')
  const bytes = Buffer.from(writing.subarray(0, end))
  published.bookBytes = bytes
  return bytes
}

/** The payload of a frame with the whole book; amounts are numbers, not text as in a reply. */
export function bookFrameText(published: PublishedMarket, nowMs: TimeMs): string {
  const { slug, minSizeRaw, maxSpread } = published.market
  return (
    `{"marketSlug":${JSON.stringify(slug)},"orderbook":{` +
    `${writing.toString('latin1', 0, putBook(published, 0))},` +
    `"minSize":${minSizeRaw},"maxSpread":${maxSpread}},` +
    `"sequence":${published.sequence},"timestamp":"${isoText(nowMs)}"}`
  )
}

/** One level that changed since the previous frame; size 0 for a removed level. */
function levelChange(ticks: number, signedRaw: number) {
  return { price: price(ticks), size: Math.abs(signedRaw) }
}

/**
 * The levels that differ between two books, with their new sizes. A column has one cell per tick,
 * and the sizes of asks are negative in it.
 */
export function bookChanges(before: Float64Array, now: Float64Array) {
  const bids: object[] = []
  const asks: object[] = []
  for (let ticks = 1; ticks < ONE; ticks++) {
    const [was, is] = [before[ticks], now[ticks]]
    if (was === is) continue
    if (was > 0 || is > 0) bids.push(levelChange(ticks, Math.max(is, 0)))
    if (was < 0 || is < 0) asks.push(levelChange(ticks, Math.min(is, 0)))
  }
  return { bids, asks }
}

/** The payload of a frame with the changed levels only. */
export function changesFrameText(
  published: PublishedMarket,
  changes: ReturnType<typeof bookChanges>,
  nowMs: TimeMs,
): string {
  const { market, lastYesTicks, sequence } = published
  const depth = shownDepth(published)
  return JSON.stringify({
    marketSlug: market.slug,
    ...changes,
    adjustedMidpoint: price(adjustedMidTicks({ depth })),
    midpoint: price(midTicks(depth.bestBid(), depth.bestAsk())),
    lastTradePrice: lastYesTicks === 0 ? null : price(lastYesTicks),
    sequence,
    timestamp: isoText(nowMs),
  })
}
