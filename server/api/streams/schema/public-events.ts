import { address, isoTime, slug, uint256Text } from '../../../edge/http/schema/fields.ts'
import { integer, means, nullable, number, oneOf, text } from '../../../edge/http/schema/scalars.ts'
import {
  anyOf,
  type Infer,
  list,
  object,
  optional,
  type Schema,
  schemaOf,
} from '../../../edge/http/schema/schema.ts'
import { offer } from '../../packs/pack-views.ts'
import { esportScore, sportScore } from '../../sports/sports.ts'
import { event } from './documented.ts'

// The public events of markets (rules §12.8).

const SLUG = 'rain-tomorrow'
const AT = '2026-03-01T12:00:00.000Z'
const TOKEN = '71321045679252212594626385532706912750332728571942532289631379312455583992563'

const price = () => number(0, 1)
const lastPrice = () =>
  means(nullable(price()), 'YES price of the last trade; null before the first.')
const sequence = () =>
  means(integer(1), 'Number of this frame; it increases by one with each frame of the market.')
const madeAt = () => means(isoTime(), 'When the frame was made.')

const level = (side: 'BUY' | 'SELL') =>
  object({
    price: means(price(), 'Price of one YES share, with at most three decimals.'),
    size: means(integer(1), 'Raw shares of all orders at this price.'),
    side: means(oneOf(side), 'Side of the orders of this level.'),
  })

const changedLevel = () =>
  object({
    price: means(price(), 'Price of one YES share, with at most three decimals.'),
    size: means(integer(0), 'Raw shares at this price from now on; 0 when the level is removed.'),
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
        tokenId: means(uint256Text(), 'Token of the YES outcome; the prices are for it.'),
        adjustedMidpoint: means(price(), 'Midpoint of the best levels with a large order.'),
        midpoint: means(
          price(),
          'Midpoint of best bid and best ask; a missing bid counts as 0, a missing ask as 1.',
        ),
        lastTradePrice: lastPrice(),
        minSize: means(integer(0), 'Minimum raw shares of an order that counts as large.'),
        maxSpread: means(number(0), 'Maximum distance from the midpoint for rewards.'),
      }),
      'The current book with every level.',
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
  about: 'The levels of one book that changed since the previous frame, with their new sizes.',
  payload: object({
    marketSlug: slug(),
    bids: means(list(changedLevel()), 'Changed bid levels, by ascending price.'),
    asks: means(list(changedLevel()), 'Changed ask levels, by ascending price.'),
    adjustedMidpoint: means(price(), 'Midpoint of the best levels with a large order.'),
    midpoint: means(
      price(),
      'Midpoint of best bid and best ask; a missing bid counts as 0, a missing ask as 1.',
    ),
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
  means(integer(1), 'Number of this frame; it increases by one with each frame of the tape.')
const tradeEventId = () => means(uint256Text(), 'Id of the trade in order events and in histories.')

export const trade = event({
  name: 'trade',
  about: 'One incoming order that traded, with all of its fills.',
  payload: object({
    marketSlug: slug(),
    seq: means(integer(1), 'Seq of the command that traded; it increases with each trade.'),
    prevSeq: means(integer(0), 'The seq of the previous trade in this market; 0 for the first.'),
    sequence: tapeSequence(),
    tradeEventId: tradeEventId(),
    price: means(price(), 'Average YES price of the fills, with at most six decimals.'),
    size: means(integer(1), 'Raw shares of all fills together.'),
    side: means(oneOf('BUY', 'SELL'), 'BUY when the taker took asks of the YES book.'),
    fills: means(
      list(
        object({
          price: means(price(), 'YES price of these fills.'),
          size: means(integer(1), 'Raw shares traded at this price.'),
        }),
        1,
      ),
      'Fills by price, best price first.',
    ),
    timestamp: means(isoTime(), 'When the taker order was decided.'),
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
  about: 'A trade was reversed, because the chain finally rejected it.',
  payload: object({
    marketSlug: slug(),
    seq: means(integer(1), 'Seq of the command that reversed the trade.'),
    sequence: tapeSequence(),
    tradeEventId: tradeEventId(),
    tradeSeq: means(integer(1), 'The seq of the frame of the trade.'),
    timestamp: means(isoTime(), 'When the trade was reversed.'),
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
  about: 'The prices of a pool after a block.',
  payload: object({
    marketAddress: means(address(), 'Address of the pool, in lower case.'),
    updatedPrices: means(
      list(
        object({
          marketId: means(integer(1), 'Id of the market.'),
          marketAddress: means(address(), 'Address of the pool of the market.'),
          yesPrice: means(price(), 'Price of one YES share.'),
          noPrice: means(price(), 'Price of one NO share.'),
        }),
        1,
      ),
      'The new prices, one entry per market.',
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
  about: 'An oracle value, for one market or for all subscribers of its symbol.',
  payload: object({
    marketAddress: means(nullable(address()), 'Address of the market; null if it has none.'),
    marketSlug: means(text(), 'The market of the value; empty for a value of the symbol.'),
    symbol: means(text(), 'Symbol of the value.'),
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
  about: 'A market was created and is listed.',
  payload: object({
    slug: slug(),
    title: means(text(), 'The question of the market.'),
    type: marketType(),
    groupSlug: means(optional(slug()), 'The group of the market; absent without one.'),
    createdAt: means(isoTime(), 'When the market was created.'),
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
      'The outcome that won; for a payout split the greater payout, YES when both are equal.',
    ),
    winningIndex: means(integer(0, 1), 'Its index, 0 for YES and 1 for NO.'),
    payoutNumerators: means(
      anyOf(list(integer(1), 2, 2), schemaOf<null>({ type: 'null' })),
      'Parts of a payout split, YES then NO: read these first. Null if one outcome won.',
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

// The public events of match scores and of offers (rules §8.5, §12.8).

/** Scores by the slug of their match. */
function bySlug<S extends Schema>(score: S) {
  return schemaOf<Readonly<Record<string, Infer<S>>>>({
    type: 'object',
    additionalProperties: score,
  })
}

export const liveSportsUpdate = event({
  name: 'live_sports_update',
  about: 'Scores of football, tennis and cricket matches, by match slug.',
  payload: bySlug(sportScore()),
  example: {
    'reds-blues': {
      fixtureId: 1_204_711,
      isFinished: false,
      sportType: 'football' as const,
      homeScore: 1,
      awayScore: 0,
      elapsedMinutes: 34,
      extraMinutes: null,
      statusShort: '1H',
      status: 'First half',
    },
    'lions-tigers': {
      fixtureId: 88_014,
      isFinished: false,
      sportType: 'cricket' as const,
      homeScore: 142,
      awayScore: 0,
      elapsedMinutes: null,
      extraMinutes: null,
      statusShort: '1I',
      status: 'First innings',
      homeRuns: 142,
      homeWickets: 3,
      awayRuns: 0,
      awayWickets: 0,
      overRuns: [1, 0, 4],
      battingTeam: 'home' as const,
      currentOver: 18,
      ballInOver: 3,
    },
  },
})

export const liveEsportsUpdate = event({
  name: 'live_esports_update',
  about: 'Scores of esports matches, by match slug.',
  payload: bySlug(esportScore()),
  example: {
    'north-south': {
      matchId: 5012,
      sportType: 'esports',
      isFinished: false,
      status: 'running',
      matchScore: { home: 1, away: 0 },
      gameScores: [{ home: 13, away: 9 }],
    },
  },
})

export const liveOffer = event({
  name: 'liveOffer',
  about: 'A pack offer that anyone may stake on until it ends.',
  payload: offer(),
  example: {
    id: '4700',
    legs: [
      { marketSlug: 'rain-tomorrow', title: 'Will it rain?', outcomeIndex: 0, price: 0.5 },
      { marketSlug: 'reds-win', title: 'Will the Reds win?', outcomeIndex: 1, price: 0.4 },
    ],
    stakeMax: '20000000',
    payout: '80000000',
    creator: { account: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A', username: 'ann' },
    expiresAt: '2026-01-01T00:01:00.000Z',
  },
})
