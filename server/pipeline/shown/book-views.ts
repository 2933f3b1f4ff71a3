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

/** A level up to its size, by its ticks: the texts of prices are made once for all books. */
const LEVEL_HEADS = Array.from({ length: ONE }, (_, ticks) => `{"price":${price(ticks)},"size":`)

/** An object for each level and their encoding cost four times as much as this text. */
function levelsText(levels: readonly Level[], side: 'BUY' | 'SELL'): string {
  const tail = `,"side":"${side}"}`
  let text = ''
  for (const { ticks, sizeRaw } of levels) {
    text += (text === '' ? '' : ',') + LEVEL_HEADS[ticks] + sizeRaw + tail
  }
  return text
}

/** What replies and frames share besides the levels. */
function numbersView({ market, lastYesTicks }: PublishedMarket, depth: Depth) {
  return {
    tokenId: market.yesTokenId,
    adjustedMidpoint: price(adjustedMidTicks({ depth })),
    midpoint: price(midTicks(depth.bestBid(), depth.bestAsk())),
    lastTradePrice: lastYesTicks === 0 ? null : price(lastYesTicks),
  }
}

/** The fields that replies and frames share, encoded once per version, without brackets. */
function bookText(published: PublishedMarket): string {
  if (published.bookText !== null) return published.bookText
  const depth = shownDepth(published)
  const bids = levelsText(depth.bids(), 'BUY')
  const asks = levelsText(depth.asks(), 'SELL')
  const numbers = JSON.stringify(numbersView(published, depth)).slice(1, -1)
  published.bookText = `"bids":[${bids}],"asks":[${asks}],${numbers}`
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
