// API views of trades and other events of a market (rules §12.3). The taker's order determines the
// side and the token of a trade.

import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { OUTCOME, SIDE } from '../../../engine/domain/order.ts'
import type { TradeRow } from '../../../persistence/query/read/history/market-trades.ts'
import type { MinedTrade, TakerRow } from '../../../persistence/query/read/history/mined-trades.ts'
import { shownName } from '../../../persistence/query/read/profiles.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import {
  averageYesPrice,
  fillsIn,
  ofOutcome,
  yesFills,
} from '../../exchange/read-model/trade-prices.ts'
import { isoText } from '../../messages/iso-text.ts'

/** The name of the exchange itself in a feed. */
const EXCHANGE = { name: 'outcomex', rankName: null }

/** The average cost of one share of the taker's token; a trade may have fills at several prices. */
function priceOf({ outcome, fills }: MinedTrade): number {
  return ofOutcome(outcome, averageYesPrice(fillsIn(fills)))
}

/** The fills by price of the taker's token, best price first. */
function ownFills({ outcome, fills }: MinedTrade) {
  const all = yesFills(fillsIn(fills))
  return all.map(({ price, size }) => ({ price: ofOutcome(outcome, price), size }))
}

function profileView(taker: TakerRow) {
  const { profileId, account, username, bio, client, pfpUrl, smartWallet, socialUrl } = taker
  return {
    id: profileId,
    account,
    username,
    displayName: shownName(taker),
    bio,
    client,
    pfpUrl,
    smartWallet,
    isCreator: false,
    socialUrl,
  }
}

/** One finalized trade. */
export function eventView(trade: MinedTrade, market: Market) {
  const { side, outcome, sharesRaw, collateralRaw, settlement, taker } = trade
  const [makerRaw, takerRaw] =
    side === SIDE.BUY ? [collateralRaw, sharesRaw] : [sharesRaw, collateralRaw]
  return {
    createdAt: isoText(trade.tradedMs),
    txHash: settlement.txHash,
    side,
    price: priceOf(trade),
    fills: ownFills(trade),
    matchedSize: String(sharesRaw),
    tokenId: outcome === OUTCOME.YES ? market.yesTokenId : market.noTokenId,
    makerAmount: makerRaw,
    takerAmount: takerRaw,
    title: market.title,
    tradeEventId: String(trade.seq),
    profile: taker === null ? null : profileView(taker),
  }
}

/** A trade as published in the feed of its market. */
export function tradeFeed(trade: MinedTrade, { slug, title }: Market) {
  const { side, outcome, taker } = trade
  return {
    eventType: 'NEW_TRADE' as const,
    timestamp: isoText(trade.tradedMs),
    user: taker === null ? EXCHANGE : { name: shownName(taker), rankName: taker.rankName },
    data: {
      slug,
      title,
      strategy: side === SIDE.BUY ? ('Buy' as const) : ('Sell' as const),
      outcome: outcome === OUTCOME.YES ? ('YES' as const) : ('NO' as const),
      price: priceOf(trade),
      contracts: String(trade.sharesRaw),
      tradeAmount: String(trade.collateralRaw),
      tradeEventId: String(trade.seq),
    },
  }
}

export function createdFeed({ slug, title, createdMs }: Market) {
  return {
    eventType: 'MARKET_CREATED' as const,
    timestamp: isoText(createdMs),
    user: EXCHANGE,
    data: { slug, title },
  }
}

/** The outcome of a payout split is null. */
export function resolvedFeed({ market, payoutNumerators, updatedMs }: PublishedMarket) {
  const [yes, no] = payoutNumerators ?? [0, 0]
  const winner = yes > 0 ? ('YES' as const) : ('NO' as const)
  return {
    eventType: 'MARKET_RESOLVED' as const,
    timestamp: isoText(updatedMs),
    user: EXCHANGE,
    data: { slug: market.slug, title: market.title, outcome: yes > 0 && no > 0 ? null : winner },
  }
}

/** A line of the tape from the YES side: a buy of NO is a sell of YES. */
export function tapeView(row: TradeRow, prevSeq: Seq) {
  const fills = fillsIn(row.fills)
  const buysYes = (row.side === SIDE.BUY) === (row.outcome === OUTCOME.YES)
  return {
    seq: row.seq,
    prevSeq,
    price: averageYesPrice(fills),
    size: row.sharesRaw,
    side: buysYes ? ('BUY' as const) : ('SELL' as const),
    fills: yesFills(fills),
    timestamp: isoText(row.tradedMs),
    tradeEventId: String(row.seq),
    ...(row.isBusted === 1 ? { busted: true } : {}),
  }
}
