// Schemas of a market's history, with an example of each (rules §12.3).

import { address, bytes32, isoTime, profileId, uint256Text } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { named } from '../../edge/http/schema/printed.ts'
import { account, shownUsername } from '../../edge/http/schema/profile-fields.ts'
import { boolean, integer, nullable, number, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, optional, schemaOf } from '../../edge/http/schema/schema.ts'
import { nameToShow } from '../accounts/profile-fields.ts'
import { MARKET_EXAMPLE, TRADER_EXAMPLE } from '../examples.ts'

const AT = MARKET_EXAMPLE.createdAt
const { slug, title } = MARKET_EXAMPLE

const trader = () =>
  object({
    id: profileId(),
    account: account(),
    username: shownUsername(),
    displayName: nameToShow(),
    bio: means(nullable(text()), 'Biography of the trader; null without one.'),
    client: means(text(), 'Kind of wallet that logs in: eoa, etherspot or base.'),
    pfpUrl: means(nullable(text()), 'Link to the picture of the trader; null without one.'),
    smartWallet: means(nullable(address()), 'Proven smart wallet of the trader; null for none.'),
    isCreator: means(boolean(), 'Whether the trader creates markets; always false here.'),
    socialUrl: means(nullable(text()), 'Link to a page of the trader; null without one.'),
  })

export const marketEvent = () =>
  named(
    'MarketEvent',
    object({
      createdAt: means(isoTime(), 'When the orders matched.'),
      txHash: means(nullable(bytes32()), 'Transaction that settled the trade.'),
      side: means(integer(0, 1), 'Side of the taker: 0 for a buy, 1 for a sell.'),
      price: means(number(0, 1), 'Average price of one share, at most six decimals.'),
      fills: means(
        list(
          object({
            price: means(number(0, 1), 'Token price of these fills.'),
            size: means(integer(1), 'Raw shares traded at this price.'),
          }),
          1,
        ),
        'Fills by price, best price first.',
      ),
      matchedSize: means(uint256Text(), 'Raw shares traded.'),
      tokenId: means(uint256Text(), 'Token that the taker bought or sold.'),
      makerAmount: means(integer(0), 'Raw units that the taker gave, before fees.'),
      takerAmount: means(integer(0), 'Raw units that the taker received, before fees.'),
      title: means(text(), 'The question of the traded market, also for a group.'),
      tradeEventId: means(uint256Text(), 'Id of the trade, as in the reply to its order.'),
      profile: means(
        anyOf(trader(), schemaOf<null>({ type: 'null' })),
        'The taker of the trade; null when its profile is unknown.',
      ),
    }),
  )

export const EVENT_EXAMPLE = {
  createdAt: AT,
  txHash: `0x${'ab'.repeat(32)}`,
  side: 0,
  price: 0.52,
  fills: [{ price: 0.52, size: 100_000_000 }],
  matchedSize: '100000000',
  tokenId: MARKET_EXAMPLE.tokens.yes,
  makerAmount: 52_000_000,
  takerAmount: 100_000_000,
  title,
  tradeEventId: '420',
  profile: { ...TRADER_EXAMPLE, isCreator: false },
}

const feedUser = () =>
  object({
    name: means(text(), 'Display name of the profile; outcomex for the exchange itself.'),
    rankName: means(nullable(text()), 'Name of its rank; null without one.'),
  })

const feedData = () =>
  object({
    slug: means(text(), 'Slug of the market.'),
    title: means(text(), 'The question of the market.'),
    strategy: means(optional(oneOf('Buy', 'Sell')), 'What the taker did; only for a trade.'),
    outcome: means(
      optional(nullable(oneOf('YES', 'NO'))),
      'Outcome traded or that won; null if the payout is split; absent for a creation.',
    ),
    price: means(optional(number(0, 1)), 'Average price of one share; only for a trade.'),
    contracts: means(optional(uint256Text()), 'Raw shares traded; only for a trade.'),
    tradeAmount: means(optional(uint256Text()), 'Raw collateral of the shares; only for a trade.'),
    tradeEventId: means(optional(uint256Text()), 'Id of the trade; only for a trade.'),
  })

export const feedEvent = () =>
  named(
    'MarketFeedEvent',
    object({
      eventType: means(
        oneOf('NEW_TRADE', 'MARKET_CREATED', 'MARKET_RESOLVED'),
        'Kind of event; a trade is listed once it is mined.',
      ),
      timestamp: means(isoTime(), 'When it happened.'),
      user: means(feedUser(), 'Profile that acted.'),
      data: means(feedData(), 'Details of the event.'),
    }),
  )

export const FEED_EXAMPLE = {
  eventType: 'NEW_TRADE' as const,
  timestamp: AT,
  user: { name: 'alice', rankName: 'Bronze' },
  data: {
    slug,
    title,
    strategy: 'Buy' as const,
    outcome: 'YES' as const,
    price: 0.52,
    contracts: '100000000',
    tradeAmount: '52000000',
    tradeEventId: '420',
  },
}

const pricePoint = () =>
  object({
    price: means(
      number(0, 1),
      'YES price of the last trade up to the end of the step, without reversed ' + 'trades.',
    ),
    timestamp: means(isoTime(), 'When the step begins.'),
  })

const seriesFields = () => ({
  title: means(text(), 'The question of the market.'),
  prices: means(
    list(pricePoint()),
    'Points of the series, newest first; none before the first trade, none after a resolution.',
  ),
})

/** The series of a market, or one for each market of a group. */
export const priceHistory = () =>
  anyOf(
    object(seriesFields()),
    list(object({ slug: means(text(), 'Slug of the market.'), ...seriesFields() })),
  )

export const SERIES_EXAMPLE = { title, prices: [{ price: 0.52, timestamp: AT }] }

export const tapeTrade = () =>
  named(
    'Trade',
    object({
      seq: means(integer(1), 'Seq of the command that traded; it increases with each trade.'),
      prevSeq: means(integer(0), 'The seq of the previous trade on this tape; 0 for the first.'),
      price: means(number(0, 1), 'Average YES price of the fills, with at most six decimals.'),
      fills: means(
        list(
          object({
            price: means(number(0, 1), 'YES price of these fills.'),
            size: means(integer(1), 'Raw shares traded at this price.'),
          }),
          1,
        ),
        'Fills by price, best price first.',
      ),
      size: means(integer(1), 'Raw shares traded.'),
      side: means(oneOf('BUY', 'SELL'), 'Side of the taker in YES: a buy of NO is a sell of YES.'),
      timestamp: means(isoTime(), 'When the orders matched.'),
      tradeEventId: means(uint256Text(), 'Id of the trade, as in the reply to its order.'),
      marketSlug: means(
        optional(text()),
        'Slug of the traded market; only on the tape of a group.',
      ),
      busted: means(optional(boolean()), 'True if the trade was reversed; otherwise absent.'),
    }),
  )

export const TAPE_EXAMPLE = {
  seq: 420,
  prevSeq: 417,
  price: 0.52,
  fills: [{ price: 0.52, size: 100_000_000 }],
  size: 100_000_000,
  side: 'BUY' as const,
  timestamp: AT,
  tradeEventId: '420',
}
