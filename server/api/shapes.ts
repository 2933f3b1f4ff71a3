// Reply schemas shared by several routes (rules §12).

import { MARKET_KINDS, MARKET_STATUSES } from '../../engine/domain/markets/market.ts'
import { POOL_LIMITS } from '../../engine/domain/moves/move-limits.ts'
import { UNIT_RAW } from '../../engine/domain/units.ts'
import { formatAddress, parseAddress, ZERO_ADDRESS } from '../crypto/address.ts'
import {
  account,
  address,
  bytes32,
  isoTime,
  profileId,
  shownUsername,
  uint256Text,
  xHandle,
} from '../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../edge/http/schema/issue-text.ts'
import {
  boolean,
  decimalText,
  integer,
  means,
  named,
  nullable,
  number,
  oneOf,
  text,
} from '../edge/http/schema/scalars.ts'
import { anyOf, list, object, openObject, optional, schemaOf } from '../edge/http/schema/schema.ts'
import { invalid, type Refusal } from '../messages/refusal.ts'
import {
  effectiveFeeRateBps,
  nameToShow,
  profileSince,
  standing,
  tradeWalletOption,
} from './accounts/profile-fields.ts'

// Raw collateral as numbers for display.

const RAW_PER_CENT = 10_000

/** Whole units of collateral with two decimals. */
export function unitsOf(raw: number): number {
  return Math.round(raw / RAW_PER_CENT) / 100
}

/** Whole units of collateral, rounded down. */
export function wholeUnitsOf(raw: number): number {
  return Math.floor(raw / UNIT_RAW)
}

// Checks the EIP-55 checksums of addresses in bodies and queries.

/** The address with its checksum spelling, or the refusal of its field. */
export function checksummed(field: string, given: string): string | Refusal {
  const bytes = parseAddress(given)
  if (bytes !== undefined) return formatAddress(bytes)
  return invalid({ field, message: WRONG_CHECKSUM })
}

export function smartWalletOf(given: string): string | Refusal {
  const wallet = checksummed('smartWallet', given)
  if (wallet !== ZERO_ADDRESS) return wallet
  return invalid({ field: 'smartWallet', message: 'must not be the zero address' })
}

export function message() {
  return object({ message: means(text(), 'Summary of the result.') })
}

const priceLevel = () =>
  object({
    price: means(number(0, 1), 'Price of one YES share in collateral, in steps of 0.001.'),
    size: means(integer(0), 'Raw shares that rest at this price; one share is 1,000,000.'),
    side: means(oneOf('BUY', 'SELL'), 'BUY for a bid, SELL for an ask.'),
  })

export function orderbook() {
  return named(
    'Orderbook',
    object({
      bids: means(list(priceLevel()), 'Bids for YES, highest first; sells of NO are included.'),
      asks: means(list(priceLevel()), 'Asks for YES, lowest first; buys of NO are included.'),
      tokenId: means(uint256Text(), 'Token of the YES outcome; the prices are for it.'),
      adjustedMidpoint: means(
        number(0, 1),
        'Midpoint of the best levels with an order of minSize or more; a side without one uses ' +
          'its best level.',
      ),
      midpoint: means(
        number(0, 1),
        'Midpoint of best bid and best ask; a missing bid counts as 0, a missing ask as 1.',
      ),
      lastTradePrice: means(
        nullable(number(0, 1)),
        'YES price of the last trade; null before the first.',
      ),
      minSize: means(
        uint256Text(),
        'Minimum raw shares of an order that counts in adjustedMidpoint, as decimal text.',
      ),
      maxSpread: means(
        decimalText(),
        'Maximum distance from the midpoint for rewards, a price as decimal text.',
      ),
      sequence: means(
        integer(0),
        'Number of the newest socket frame of this book; the book includes all of its changes.',
      ),
      timestamp: means(isoTime(), 'When this book was made.'),
    }),
  )
}

const pricePair = (meaning: string) => means(list(number(0, 1), 2, 2), meaning)

const collateralToken = () =>
  object({
    address: means(address(), 'Contract of the token.'),
    decimals: means(integer(0), 'Number of decimal digits of the token.'),
    symbol: means(text(), 'Symbol of the token.'),
  })

const buyPrices = () =>
  object({
    market: pricePair('Best ask of YES, then of NO: the first price of a market buy.'),
    limit: pricePair('Best bid of YES, then of NO: the price of resting buys.'),
  })

const sellPrices = () =>
  object({
    market: pricePair('Best bid of YES, then of NO: the first price of a market sell.'),
    limit: pricePair('Best ask of YES, then of NO: the price of resting sells.'),
  })

const tradePrices = () =>
  object({
    buy: means(
      buyPrices(),
      'Best prices for a buyer; a missing bid counts as 0, a missing ask as 1.',
    ),
    sell: means(
      sellPrices(),
      'Best prices for a seller; a missing bid counts as 0, a missing ask as 1.',
    ),
  })

const tokens = () =>
  object({
    yes: means(uint256Text(), 'Token of the YES outcome: the tokenId of orders for YES.'),
    no: means(uint256Text(), 'Token of the NO outcome: the tokenId of orders for NO.'),
  })

const venue = () =>
  object({
    exchange: means(address(), 'Contract that orders are signed for: their verifyingContract.'),
    adapter: means(nullable(address()), 'Adapter contract of the market; null without one.'),
  })

const metadata = () =>
  object({
    fee: means(boolean(), 'True if takers pay fees: orders sign their fee rate.'),
    openPrice: means(
      optional(text()),
      'Oracle price at the start of a slot, decimal text: YES wins if the close is not below it.',
    ),
    closePrice: means(optional(text()), 'Oracle price at the end of a slot, decimal text.'),
    takerDelayMs: means(
      optional(integer(1)),
      'Taker delay of orders that would match on arrival, in milliseconds; absent for none.',
    ),
    delayedCancel: means(
      optional(boolean()),
      'False if such an order cannot be canceled during the delay; absent if it can.',
    ),
  })

const oracleAsset = () =>
  object({
    ticker: means(text(), 'Symbol of the asset, as in GET /markets/timeline.'),
    assetType: means(text(), 'Kind of asset, such as crypto.'),
    pythAddress: means(text(), 'Pyth feed; always empty: the exchange has its own oracle.'),
    symbol: means(text(), 'The asset and the currency of its price, such as BTC/USD.'),
    name: means(text(), 'Name of the asset, such as Bitcoin.'),
    logo: means(text(), 'Picture of the asset; empty without one.'),
  })

const nextSlot = () =>
  object({
    slug: means(text(), 'Slug of its market.'),
    startAt: means(isoTime(), 'When it begins.'),
    endAt: means(isoTime(), 'When it ends.'),
  })

const poolReserves = () =>
  object({
    yes: means(uint256Text(), 'Raw YES shares in the pool.'),
    no: means(uint256Text(), 'Raw NO shares in the pool.'),
  })

/** Fields that only some kinds of markets have. */
const kindFields = () => ({
  conditionId: means(
    optional(bytes32()),
    'Condition id in the conditional tokens contract; absent for a group.',
  ),
  tokens: means(optional(tokens()), 'Token ids of both outcomes, by name; absent for a group.'),
  positionIds: means(
    optional(list(uint256Text(), 2, 2)),
    'Token ids of both outcomes, YES then NO; absent for a group.',
  ),
  prices: means(
    optional(list(number(0, 100), 2, 2)),
    'Price of YES, then of NO: the midpoint, or the payout of a share once resolved. ' +
      'From 0 to 1, percent for a pool. Absent for a group.',
  ),
  tradePrices: means(
    optional(tradePrices()),
    'Best prices for a trader, YES then NO; the payout of a share once the market is ' +
      'resolved. Present for a market with a book.',
  ),
  reserves: means(
    optional(poolReserves()),
    'Raw shares in the pool; its quotes follow from them and feeBps.',
  ),
  feeBps: means(
    optional(integer(0, POOL_LIMITS.feeBpsMax)),
    'Fee of the pool in basis points; absent for a market without a pool.',
  ),
  venue: means(venue(), 'Contracts of the market.'),
  nextMarket: means(
    optional(anyOf(nextSlot(), schemaOf<null>({ type: 'null' }))),
    'The next slot in the series; null for any other market and after the last slot. ' +
      'Absent when includeNextMarket is false.',
  ),
  negRiskMarketId: means(optional(bytes32()), 'Id of a group; absent for any other market.'),
  address: means(optional(address()), 'Address of a pool; absent for any other market.'),
  startAt: means(optional(isoTime()), 'When a slot begins; absent for any other market.'),
  groupSlug: means(optional(text()), 'Slug of the group of a child; absent for any other market.'),
  groupId: means(optional(integer(1)), 'Id of that group; absent for any other market.'),
})

const rewardSettings = () =>
  object({
    minSize: means(uint256Text(), 'Minimum raw shares of an order that earns rewards.'),
    maxSpread: means(number(0, 1), 'Maximum distance from the midpoint for rewards.'),
    dailyReward: means(text(), 'Whole collateral that makers earn per day, as decimal text.'),
    rewardsEpoch: means(number(0), 'Whole collateral that makers earn per minute.'),
    c: means(number(0), 'Divisor of the score of an order on only one side.'),
    rebateRate: means(optional(number(0, 1)), 'Fraction of taker fees paid back to makers.'),
    takerDelayMs: means(optional(integer(1)), 'The same as takerDelayMs of metadata.'),
    delayedCancel: means(optional(boolean()), 'The same as delayedCancel of metadata.'),
  })

/** Display fields, and fields that only some markets have. */
const shownFields = () => ({
  proxyTitle: means(optional(nullable(text())), 'Short title; null without one.'),
  expired: means(optional(boolean()), 'True once the deadline has passed.'),
  creator: means(
    optional(object({ name: means(text(), 'Name of the creator of the market.') })),
    'Creator of the market; always this exchange.',
  ),
  priorityIndex: means(optional(integer(0)), 'Position among featured markets; always 0 here.'),
  automationType: means(optional(text()), 'Whether an operator or a series created the market.'),
  imageUrl: means(optional(nullable(text())), 'Link to a picture; null without one.'),
  logo: means(optional(nullable(text())), 'Link to a small picture; null without one.'),
  payoutNumerators: means(
    optional(anyOf(list(integer(0), 2, 2), schemaOf<null>({ type: 'null' }))),
    'Payout parts if the payout is split, YES then NO; null for any other market.',
  ),
  negRiskRequestId: means(
    optional(nullable(text())),
    'Id of the question in the contract of its group; null outside of groups.',
  ),
  isRewardable: means(optional(boolean()), 'Whether resting orders earn rewards.'),
  settings: means(optional(rewardSettings()), 'Requirements for orders to earn rewards.'),
  orderInGroup: means(optional(integer(0)), 'Index in its group, from 0; absent without one.'),
  outcomeTokens: means(optional(list(text())), 'Short titles of the children; only for a group.'),
  dailyReward: means(optional(text()), 'Whole collateral per day; only for a group.'),
  liquidity: means(optional(text()), 'Raw collateral in the pool, as text; only for a pool.'),
  liquidityFormatted: means(optional(text()), 'Liquidity in whole units with two decimals.'),
  openInterest: means(optional(text()), 'Raw collateral of open positions; only for a pool.'),
  openInterestFormatted: means(optional(text()), 'Open interest in whole units, two decimals.'),
})

/** Fields that markets of every kind have. */
const marketFields = () => ({
  id: means(integer(1), 'Id of the market, counted from 1.'),
  slug: means(text(), 'Unique name of the market in paths and orders; it never changes.'),
  title: means(text(), 'The question of the market.'),
  description: means(text(), 'How the question is decided; empty if not given.'),
  collateralToken: means(collateralToken(), 'Token that pays shares.'),
  expirationDate: means(text(), 'The deadline as display text; No deadline without one.'),
  expirationTimestamp: means(
    integer(),
    'The deadline in Unix milliseconds; 253402214400000 without one.',
  ),
  createdAt: means(isoTime(), 'When the market was created.'),
  updatedAt: means(isoTime(), 'When the status of the market last changed.'),
  categories: means(list(text()), 'Topics of the market, set by the operator.'),
  tags: means(list(text()), 'Further labels of the market, set by the operator.'),
  status: means(
    oneOf(...MARKET_STATUSES),
    'FUNDED and FUNDED_FLAGGED accept orders. DRAFT and CREATED do not yet, LOCKED does not. ' +
      'RESOLVED is decided.',
  ),
  tradeType: means(
    oneOf(...MARKET_KINDS),
    'How shares are traded: clob in a book, group in its children, amm against a pool.',
  ),
  marketType: means(
    oneOf('single', 'group'),
    'Whether the market is a single question or a group.',
  ),
  metadata: means(metadata(), 'Settings that a client needs to create an order.'),
  priceOracleMetadata: means(
    optional(oracleAsset()),
    'The asset of a slot, with oracle candles; absent for a market without an oracle.',
  ),
  volume: means(uint256Text(), 'Raw collateral traded so far.'),
  volumeFormatted: means(text(), 'Collateral traded so far, whole units with two decimals.'),
  ...kindFields(),
  ...shownFields(),
  winningOutcomeIndex: means(
    nullable(integer(0, 1)),
    '0 if YES won, 1 if NO won; null before that and if the payout is split.',
  ),
})

/** A market in its group: it has no markets itself. */
const child = () => named('ChildMarket', openObject(marketFields()))

export function market() {
  const markets = means(
    optional(list(child())),
    'Children of a group, each a complete market; absent for any other market.',
  )
  return named('Market', openObject({ ...marketFields(), markets }))
}

/** A market that is a group. */
export function groupMarket() {
  const markets = means(optional(list(child())), 'Its children, each a complete market.')
  return named('Group', openObject({ ...marketFields(), markets }))
}

/** A rank, or null for none. */
export const rank = () =>
  means(
    anyOf(
      object({
        id: means(integer(0), 'Id of the rank, 1 for the lowest.'),
        name: means(text(), 'Name of the rank.'),
        feeRateBps: means(integer(0, 1000), 'Fee rate of the rank in basis points.'),
      }),
      schemaOf<null>({ type: 'null' }),
    ),
    'Rank of the profile, which determines its fee rate; null without one.',
  )

/** Fields that this exchange does not store: the same value for all profiles. */
const notKept = () => ({
  isCreator: means(boolean(), 'Whether the profile creates markets; always false here.'),
  isOnboarded: means(boolean(), 'Whether onboarding is complete; always true here.'),
  embeddedAccount: means(nullable(address()), 'Address of an embedded wallet; always null here.'),
  points: means(number(0), 'Reward points of this season; always 0 here.'),
  accumulativePoints: means(number(0), 'Reward points of all seasons; always 0 here.'),
  enrolledInPointsProgram: means(
    nullable(boolean()),
    'Whether the profile participates in reward points; always null here.',
  ),
  isCaptain: means(boolean(), 'Whether the profile leads a team; always false here.'),
})

/** A private profile, visible only to its owner (rules §12.2). */
export function profile() {
  return named(
    'Profile',
    openObject({
      id: profileId(),
      account: account(),
      username: shownUsername(),
      displayName: nameToShow(),
      bio: means(nullable(text()), 'Biography of the owner; null without one.'),
      client: means(text(), 'Kind of wallet that logs in: eoa, etherspot or base.'),
      pfpUrl: means(nullable(text()), 'Link to the picture of the profile; null without one.'),
      smartWallet: means(
        nullable(address()),
        'Smart wallet that the owner has proven; null without one.',
      ),
      socialUrl: means(nullable(text()), 'Link to a page of the owner; null without one.'),
      xHandle: xHandle(),
      hasTraded: means(boolean(), 'True once an order of the profile has traded.'),
      tradeWalletOption: tradeWalletOption(),
      tradeWalletChoosen: means(boolean(), 'True when tradeWalletOption is not null.'),
      mode: means(oneOf('simple', 'advanced'), 'Layout of the trading page that the owner chose.'),
      rank: rank(),
      effectiveFeeRateBps: effectiveFeeRateBps(),
      createdAt: profileSince(),
      partner: means(
        anyOf(
          object({
            id: means(profileId(), "Id of the partner's profile."),
            displayName: means(text(), 'Display name of the partner.'),
          }),
          schemaOf<null>({ type: 'null' }),
        ),
        'The partner that created this sub-account and can act for it; null without one.',
      ),
      ...standing(),
      ...notKept(),
    }),
  )
}
