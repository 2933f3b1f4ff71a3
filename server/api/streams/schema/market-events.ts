// What everybody may hear of markets (rules §12.8).

import { address, isoTime, slug, uint256Text } from '../../../edge/http/schema/fields.ts'
import { means } from '../../../edge/http/schema/meaning.ts'
import { integer, nullable, number, oneOf, text } from '../../../edge/http/schema/scalars.ts'
import { anyOf, list, object, optional, schemaOf } from '../../../edge/http/schema/schema.ts'
import { event } from './documented.ts'

const SLUG = 'rain-tomorrow'
const AT = '2026-03-01T12:00:00.000Z'
const TOKEN = '71321045679252212594626385532706912750332728571942532289631379312455583992563'

const price = () => number(0, 1)
const lastPrice = () =>
  means(nullable(price()), 'YES price of the last trade; null before the first.')
const sequence = () =>
  means(integer(1), 'Number of this frame; it rises by one with each frame of the market.')
const madeAt = () => means(isoTime(), 'When the frame was made.')

const level = (side: 'BUY' | 'SELL') =>
  object({
    price: means(price(), 'Price of one YES share, at most three decimals.'),
    size: means(integer(1), 'Raw shares of all orders at this price.'),
    side: means(oneOf(side), 'What the orders of this level do.'),
  })

const changedLevel = () =>
  object({
    price: means(price(), 'Price of one YES share, at most three decimals.'),
    size: means(integer(0), 'Raw shares at this price from now on; 0 when the level is gone.'),
  })

export const orderbookUpdate = event({
  name: 'orderbookUpdate',
  about: 'The whole YES book of one market.',
  payload: object({
    marketSlug: slug(),
    orderbook: means(
      object({
        bids: means(list(level('BUY')), 'Bids for YES, highest first.'),
        asks: means(list(level('SELL')), 'Asks for YES, lowest first.'),
        tokenId: means(uint256Text(), 'Token of the YES outcome, whose prices the book shows.'),
        adjustedMidpoint: means(price(), 'Midpoint of the best levels with a large order.'),
        midpoint: means(price(), 'Middle between best bid and best ask; 0 and 1 stand for none.'),
        lastTradePrice: lastPrice(),
        minSize: means(integer(0), 'Least raw shares of an order that counts as large.'),
        maxSpread: means(number(0), 'Distance from the midpoint within which rewards are paid.'),
      }),
      'The book as it stands now, every level of it.',
    ),
    sequence: sequence(),
    timestamp: madeAt(),
  }),
  example: {
    marketSlug: SLUG,
    orderbook: {
      bids: [{ price: 0.48, size: 160_000_000, side: 'BUY' }],
      asks: [{ price: 0.55, size: 70_000_000, side: 'SELL' }],
      tokenId: TOKEN,
      adjustedMidpoint: 0.515,
      midpoint: 0.515,
      lastTradePrice: 0.52,
      minSize: 50_000_000,
      maxSpread: 0.035,
    },
    sequence: 412,
    timestamp: AT,
  },
})

export const orderbookDelta = event({
  name: 'orderbookDelta',
  about: 'The levels of one book that changed since the frame before, with their new sizes.',
  payload: object({
    marketSlug: slug(),
    bids: means(list(changedLevel()), 'Levels of bids that changed, by rising price.'),
    asks: means(list(changedLevel()), 'Levels of asks that changed, by rising price.'),
    adjustedMidpoint: means(price(), 'Midpoint of the best levels with a large order.'),
    midpoint: means(price(), 'Middle between best bid and best ask; 0 and 1 stand for none.'),
    lastTradePrice: lastPrice(),
    sequence: sequence(),
    timestamp: madeAt(),
  }),
  example: {
    marketSlug: SLUG,
    bids: [{ price: 0.48, size: 0 }],
    asks: [],
    adjustedMidpoint: 0.515,
    midpoint: 0.5,
    lastTradePrice: 0.52,
    sequence: 413,
    timestamp: AT,
  },
})

const tapeSequence = () =>
  means(integer(1), 'Number of this frame; it rises by one with each frame of the tape.')
const tradeEventId = () =>
  means(uint256Text(), 'Name of the trade in order events and in histories.')

export const trade = event({
  name: 'trade',
  about: 'One arrival that traded, with all of its fills.',
  payload: object({
    marketSlug: slug(),
    seq: means(integer(1), 'Number of the command that traded; it rises with each trade.'),
    prevSeq: means(integer(0), 'The seq of the trade before in this market; 0 for the first.'),
    sequence: tapeSequence(),
    tradeEventId: tradeEventId(),
    price: means(price(), 'Average YES price of the fills, at most six decimals.'),
    size: means(integer(1), 'Raw shares of all fills together.'),
    side: means(oneOf('BUY', 'SELL'), 'BUY when the arrival took asks of the YES book.'),
    fills: means(
      list(
        object({
          price: means(price(), 'YES price of these fills.'),
          size: means(integer(1), 'Raw shares that traded at this price.'),
        }),
        1,
      ),
      'What traded at each price, the best price first.',
    ),
    timestamp: means(isoTime(), 'When the arrival was decided.'),
  }),
  example: {
    marketSlug: SLUG,
    seq: 9041,
    prevSeq: 9017,
    sequence: 12,
    tradeEventId: '9041',
    price: 0.515,
    size: 2_000_000,
    side: 'SELL',
    fills: [
      { price: 0.52, size: 1_000_000 },
      { price: 0.51, size: 1_000_000 },
    ],
    timestamp: AT,
  },
})

export const tradeBusted = event({
  name: 'trade_busted',
  about: 'A trade was taken back, because the chain refused it for good.',
  payload: object({
    marketSlug: slug(),
    seq: means(integer(1), 'Number of the command that took the trade back.'),
    sequence: tapeSequence(),
    tradeEventId: tradeEventId(),
    tradeSeq: means(integer(1), 'The seq of the frame that told the trade.'),
    timestamp: means(isoTime(), 'When the trade was taken back.'),
  }),
  example: {
    marketSlug: SLUG,
    seq: 9050,
    sequence: 13,
    tradeEventId: '9041',
    tradeSeq: 9041,
    timestamp: AT,
  },
})

export const newPriceData = event({
  name: 'newPriceData',
  about: 'The prices of a pool as a block left them.',
  payload: object({
    marketAddress: means(address(), 'Address of the pool, in lower case.'),
    updatedPrices: means(
      list(
        object({
          marketId: means(integer(1), 'Number of the market.'),
          marketAddress: means(address(), 'Address of the pool of the market.'),
          yesPrice: means(price(), 'Price of one YES share.'),
          noPrice: means(price(), 'Price of one NO share.'),
        }),
        1,
      ),
      'The new prices, one entry a market.',
    ),
    blockNumber: means(integer(0), 'Height of the block.'),
    timestamp: means(isoTime(), 'Time of the block.'),
  }),
  example: {
    marketAddress: '0x00000000000000000000000000000000000000a1',
    updatedPrices: [
      {
        marketId: 7,
        marketAddress: '0x00000000000000000000000000000000000000a1',
        yesPrice: 0.6,
        noPrice: 0.4,
      },
    ],
    blockNumber: 1201,
    timestamp: AT,
  },
})

export const oraclePriceData = event({
  name: 'oraclePriceData',
  about: 'A value of an oracle, for one market or for all that listen to its symbol.',
  payload: object({
    marketAddress: means(nullable(address()), 'Address of the market; null where it has none.'),
    marketSlug: means(text(), 'The market it is for; empty for a value of the symbol.'),
    symbol: means(text(), 'What the oracle gives the value of.'),
    timestamp: means(integer(0), 'Time of the value in Unix milliseconds.'),
    value: means(number(), 'The value in its own unit.'),
  }),
  example: {
    marketAddress: null,
    marketSlug: 'btc-5m-1771934700',
    symbol: 'BTC/USD',
    timestamp: 1_771_934_701_000,
    value: 64_000.5,
  },
})

const marketType = () => means(oneOf('CLOB', 'AMM'), 'How the market trades.')

export const marketCreated = event({
  name: 'marketCreated',
  about: 'A market was made and is shown.',
  payload: object({
    slug: slug(),
    title: means(text(), 'The question of the market.'),
    type: marketType(),
    groupSlug: means(optional(slug()), 'The group that it belongs to; absent without one.'),
    createdAt: means(isoTime(), 'When the market was made.'),
  }),
  example: { slug: SLUG, title: 'Will it rain tomorrow?', type: 'CLOB', createdAt: AT },
})

export const marketResolved = event({
  name: 'marketResolved',
  about: 'A market was resolved, for one outcome or with a payout split.',
  payload: object({
    slug: slug(),
    type: marketType(),
    winningOutcome: means(
      oneOf('YES', 'NO'),
      'The outcome that won; of a payout split the one that pays more, YES when both pay the same.',
    ),
    winningIndex: means(integer(0, 1), 'Its index, 0 for YES and 1 for NO.'),
    payoutNumerators: means(
      anyOf(list(integer(1), 2, 2), schemaOf<null>({ type: 'null' })),
      'Parts of a payout split, YES then NO: read these first. Null when one outcome won.',
    ),
    resolutionDate: means(isoTime(), 'When the market was resolved.'),
  }),
  example: {
    slug: SLUG,
    type: 'CLOB',
    winningOutcome: 'YES',
    winningIndex: 0,
    payoutNumerators: null,
    resolutionDate: AT,
  },
})
