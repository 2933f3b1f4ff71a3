import { assert } from '../assert.ts'
import { LIMITS } from '../limits.ts'
import { MOVE_LIMITS } from '../moves/move-limits.ts'
import { MS_PER_SEC } from '../units.ts'

/** Limits of packs. The code that checks a limit defines the effect. */
export const PACK_LIMITS = {
  legsMin: 2,
  legsMax: 5,
  stakeMinRaw: 1_000_000,
  stakeMaxRaw: 70_000_000,
  /** Largest stake of a pack that another profile funds. */
  offerStakeMaxRaw: 100_000_000,
  /** A leg's price is within these bounds, and uses levels at most this far from the best one. */
  priceMinTicks: 100,
  priceMaxTicks: 900,
  windowTicks: 100,
  /** Largest payout as a multiple of the stake. */
  multiplierMax: 20,
  vigPercent: 10,
  /** The house may lose 1/n of its funds on one outcome of a market, and to one profile. */
  housePartOfOutcome: 20,
  housePartOfOwner: 10,
  /** The packs of one UTC day may cost the house 1/n of its funds, unless operators set more. */
  housePartOfDay: 10,
  /**
   * How long an order must rest before it prices a leg, and how early a leg closes before its
   * market.
   */
  restSecMax: 3600,
  closeSecMax: 86_400,
  /** Smaller orders price no leg, so that dust never fills a list of orders. */
  orderSizeMinRaw: 1_000_000,
  /** Orders of one side that price legs: best price first, then oldest first. */
  ordersOfSideMax: 2048,
  /** Positions with open orders in one book that packs read. */
  positionsReadMax: 1 << 16,
  /** Books with cached orders for packs, and the longest time they are cached. */
  booksKeptMax: 64,
  bookKeptMs: 1000,
  correlationKeyCharactersMax: 64,
  quoteMs: 30_000,
  offerMs: 60_000,
  /** Open packs: of all profiles, and of one. */
  packsMax: 1 << 17,
  packsOfProfileMax: 200,
  /** Open offers: of all makers, and of one. */
  offersMax: 4096,
  offersOfMakerMax: 20,
  /** Offers that a maker makes per second, and its burst. */
  offersPerSecMax: 2,
  offersBurstMax: 40,
  /**
   * The same for an address. Its open offers are then at most a fifth of all offers. The first 56
   * bits of an IPv6 address have the same limit, the first 48 bits twice that.
   */
  addressOffersPerSecMax: 8,
  addressOffersBurstMax: 320,
  /** Packs on the operators' list, and the characters of their names. */
  curatedMax: 64,
  curatedNameCharactersMax: 120,
  /** How far ahead a purchase deadline may be: less than its key is remembered. */
  deadlineAheadMaxMs: 12 * 60 * 60 * MS_PER_SEC,
  /** Interval of pack work on main, so that orders run in between. */
  roundEveryMs: 5,
  /** Packs in one command that counts a leg. */
  countedMax: 256,
  /** Offers in one command that ends them. */
  endedOffersMax: 256,
} as const

assert(PACK_LIMITS.countedMax * 24 < LIMITS.recordBytesMax, 'counted packs fit a record')
assert(
  PACK_LIMITS.deadlineAheadMaxMs < MOVE_LIMITS.idempotencyKeyMs,
  'a repeated purchase is remembered or too late',
)
assert(
  PACK_LIMITS.addressOffersBurstMax +
    (PACK_LIMITS.addressOffersPerSecMax * PACK_LIMITS.offerMs) / MS_PER_SEC <
    PACK_LIMITS.offersMax / 5,
  'one address holds a fifth of all offers at most',
)
assert(
  PACK_LIMITS.ordersOfSideMax * PACK_LIMITS.orderSizeMinRaw >=
    PACK_LIMITS.stakeMaxRaw * PACK_LIMITS.multiplierMax,
  'the orders of a side hold the shares of the largest pack',
)
assert(PACK_LIMITS.endedOffersMax * 16 < LIMITS.recordBytesMax, 'ended offers fit a record')
