// The book of a market as replies and frames show it (rules §11.1, §12.8). Its levels are encoded
// once per version, whoever asks for them.

import type { TimeMs } from '../../../engine/domain/units.ts'
import { isoText } from '../../http/iso-text.ts'
import { Depth, type Level } from './kept/depth.ts'
import type { PublishedMarket } from './published.ts'

const ONE = 1000
export const price = (ticks: number) => ticks / ONE

export function midTicks(bidTicks: number, askTicks: number): number {
  return (bidTicks + askTicks) / 2
}

/**
 * Only levels that hold an order of at least minSize count. Without one, the plain best counts
 * (rules §11.1).
 */
export function adjustedMidTicks({ depth }: { readonly depth: Depth }): number {
  const bid = depth.bestBid(true) || depth.bestBid()
  const largeAsk = depth.bestAsk(true)
  return midTicks(bid, largeAsk === ONE ? depth.bestAsk() : largeAsk)
}

const NO_DEPTH = new Depth(0)

/** The book that everybody may see. A flagged market trades and shows none. */
export function shownDepth({ status, depth }: PublishedMarket): Depth {
  return status === 'FUNDED_FLAGGED' ? NO_DEPTH : depth
}

function levelView({ ticks, sizeRaw }: Level, side: 'BUY' | 'SELL') {
  return { price: price(ticks), size: sizeRaw, side }
}

/** The part of the book that replies and frames share. */
function bookView(published: PublishedMarket) {
  const { market, lastYesTicks } = published
  const depth = shownDepth(published)
  return {
    bids: depth.bids().map((level) => levelView(level, 'BUY')),
    asks: depth.asks().map((level) => levelView(level, 'SELL')),
    tokenId: market.yesTokenId,
    adjustedMidpoint: price(adjustedMidTicks({ depth })),
    midpoint: price(midTicks(depth.bestBid(), depth.bestAsk())),
    lastTradePrice: lastYesTicks === 0 ? null : price(lastYesTicks),
  }
}

/** The fields of `bookView`, encoded once per version, without the brackets around them. */
function bookText(published: PublishedMarket): string {
  published.bookText ??= JSON.stringify(bookView(published)).slice(1, -1)
  return published.bookText
}

/**
 * The book in a reply, encoded once per version. Its `sequence` is that of the newest frame, whose
 * changes it has; it may have newer ones. Where no socket listens, each version has its own number.
 */
export function orderbookBytes(published: PublishedMarket, nowMs: TimeMs): Buffer {
  if (published.bookBytes !== null) return published.bookBytes
  if (published.watch === null) published.sequence++
  const { minSizeRaw, maxSpread } = published.market
  const bytes = Buffer.from(
    `{${bookText(published)},"minSize":"${minSizeRaw}","maxSpread":"${maxSpread}",` +
      `"sequence":${published.sequence},"timestamp":"${isoText(nowMs)}"}`,
  )
  published.bookBytes = bytes
  return bytes
}

/** The payload of a frame with the whole book; amounts that a reply has as text are numbers. */
export function bookFrameText(published: PublishedMarket, nowMs: TimeMs): string {
  const { slug, minSizeRaw, maxSpread } = published.market
  return (
    `{"marketSlug":${JSON.stringify(slug)},"orderbook":{${bookText(published)},` +
    `"minSize":${minSizeRaw},"maxSpread":${maxSpread}},` +
    `"sequence":${published.sequence},"timestamp":"${isoText(nowMs)}"}`
  )
}

/** One level that changed since the frame before; size 0 for a level that is gone. */
function levelChange(ticks: number, signedRaw: number) {
  return { price: price(ticks), size: Math.abs(signedRaw) }
}

/**
 * The levels that differ between two books, with their new sizes. A column has one cell a tick, and
 * the sizes of asks are negative in it.
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
