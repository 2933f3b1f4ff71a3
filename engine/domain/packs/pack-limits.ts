import { assert } from '../assert.ts'
import { LIMITS } from '../limits.ts'
import { MOVE_LIMITS } from '../moves/move-limits.ts'
import { MS_PER_SEC } from '../units.ts'

/** Bounds on packs. The code that checks a bound says what happens. */
export const PACK_LIMITS = {
  legsMin: 2,
  legsMax: 5,
  stakeMinRaw: 1_000_000,
  stakeMaxRaw: 70_000_000,
  /** Of a pack that another profile funds. */
  offerStakeMaxRaw: 100_000_000,
  /** A leg is priced inside these, and by levels at most so far from the best of them. */
  priceMinTicks: 100,
  priceMaxTicks: 900,
  windowTicks: 100,
  /** What the payout may be of the stake. */
  multiplierMax: 20,
  vigPercent: 10,
  /** The house may lose one part of so many on one outcome of a market, and to one profile. */
  housePartOfOutcome: 20,
  housePartOfOwner: 10,
  /** The packs of one UTC day may cost the house one part of so many, unless operators set more. */
  housePartOfDay: 10,
  /** How long an order rests before it prices a leg, and a leg closes before its market. */
  restSecMax: 3600,
  closeSecMax: 86_400,
  /** An order with fewer shares left prices no leg, so that dust never fills a list of orders. */
  orderSizeMinRaw: 1_000_000,
  /** Orders of one side of a book that price legs: the best, and the oldest of equal ones. */
  ordersOfSideMax: 2048,
  /** Positions with open orders in one book that are read for packs. */
  positionsReadMax: 1 << 16,
  /** Books whose orders are kept for packs, and how long at most. */
  booksKeptMax: 64,
  bookKeptMs: 1000,
  correlationKeyCharactersMax: 64,
  quoteMs: 30_000,
  offerMs: 60_000,
  /** Packs that are not over: of all profiles, and of one. */
  packsMax: 1 << 17,
  packsOfProfileMax: 200,
  /** Offers that are not over: of all makers, and of one. */
  offersMax: 4096,
  offersOfMakerMax: 20,
  /** Offers that a maker makes in a second, and that it may make at once. */
  offersPerSecMax: 2,
  offersBurstMax: 40,
  /**
   * The same for an address. Its open offers are then a fifth of all at most; the first 56 bits of
   * an IPv6 address make as many, its first 48 bits twice as many.
   */
  addressOffersPerSecMax: 8,
  addressOffersBurstMax: 320,
  /** Packs on the list of operators, and the characters of their names. */
  curatedMax: 64,
  curatedNameCharactersMax: 120,
  /** How far ahead the deadline of a purchase may be: less than its key is remembered. */
  deadlineAheadMaxMs: 12 * 60 * 60 * MS_PER_SEC,
  /** Main works on packs this often, so that orders come between. */
  roundEveryMs: 5,
  /** Packs in one command that counts a leg. */
  countedMax: 256,
  /** Offers in one command that ends them. */
  endedOffersMax: 256,
} as const

assert(PACK_LIMITS.countedMax * 24 < LIMITS.recordBytesMax, 'counted packs fit a record')
assert(
  PACK_LIMITS.deadlineAheadMaxMs < MOVE_LIMITS.idempotencyKeyMs,
  'a purchase that is sent again is remembered, or late',
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
