// Buyers who know the true chances play the house for days of five-minute slots (rules §8.4), on
// the real books, gates and packs. Two series have coins that agree in 80 of 100 slots; a wheel is
// independent of both, and so is a calm market of an hour. A maker quotes every twentieth of a
// price around the chance and takes back what the chance has passed, or others take it; the part
// `staleness` stays for one more step. Two colluding buyers stake the most that is allowed whenever
// it pays on average, right up to the end of a slot. In a market that nobody watches their second
// account shows both sides far below the chance, for 0.2 s or for as long as others leave it. An
// honest buyer pays what the books ask.

import { mayArchive } from '../../engine/core/decide/endings.ts'
import {
  type PackIssue,
  type PackReason,
  pricePack,
} from '../../engine/core/decide/money/pack-price.ts'
import { decidePack } from '../../engine/core/decide/money/packs.ts'
import { windowOf } from '../../engine/core/packs/pack-odds.ts'
import { countedResults, paidRawOf } from '../../engine/core/packs/packs.ts'
import { assert } from '../../engine/domain/assert.ts'
import { HOUSE_ACCOUNT } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { PACK_LIMITS } from '../../engine/domain/packs/pack-limits.ts'
import { Reject } from '../../engine/domain/reject-precedence.ts'
import { allSteps, PackBooks } from '../../server/api/packs/pack-books.ts'
import type { PackTerms } from '../../server/api/packs/packs.ts'
import { StampTimes } from '../../server/exchange/sequencer/stamp-times.ts'
import { ExchangeDriver, type OrderRef } from '../support/exchange-driver.ts'
import { quoteOf } from '../support/pack-quote.ts'
import type { Random } from '../support/random.ts'
import { marketSpec, seriesSpec } from '../support/specs.ts'

const UNIT = 1_000_000
const SLOT_MS = 300_000
const STEP_MS = 20_000
const STEPS = SLOT_MS / STEP_MS
export const SLOTS_PER_DAY = 288
/** Of normal steps, so that both coins agree in 80 of 100 slots: sin(0.3 π). */
const CORRELATION = Math.sin(0.3 * Math.PI)
const LEVELS = Array.from({ length: 17 }, (_, at) => 100 + at * 50)
const LEVEL_RAW = 400 * UNIT
const CALM_SLOTS = 12
const CALM_REQUOTED_SLOTS = 2
const SHOWN_MS = 200
const SHOWN_TICKS = 300
const LEFT_CHANCE = 0.05

interface Coin {
  readonly marketId: number
  /** Where the walk stands; the coin is YES when it ends above 0. */
  at: number
  chance: number
  readonly quotes: (Quote | null)[]
}

interface Quote extends OrderRef {
  readonly isBid: boolean
}

export interface HouseResult {
  readonly gainRaw: number
  /** What it gains on average, by the true chances at the moment of each pack. */
  readonly expectedRaw: number
  readonly stakedRaw: number
  readonly packs: number
  /** What the colluding buyers gained, and gain on average. */
  readonly colludersGainRaw: number
  readonly colludersExpectedRaw: number
  readonly colludersPacks: number
  /** The worst UTC day of the house. */
  readonly worstDayRaw: number
  /** Why the house sold none, by reason. */
  readonly refused: ReadonlyMap<PackReason, number>
}

/** The chance that a normal step of this width ends below `x`, to 1e-7 (Abramowitz, 26.2.17). */
function normalBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const poly =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const above = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * poly
  return x >= 0 ? 1 - above : above
}

export interface HouseGame {
  readonly random: Random
  readonly terms: PackTerms
  readonly houseRaw: number
  /** Part of the passed quotes that stays for a step. */
  readonly staleness: number
  readonly startMs: number
}

export class PackHouse {
  readonly #driver = new ExchangeDriver(4096)
  readonly #random: Random
  readonly #terms: PackTerms
  readonly #staleness: number
  readonly #houseRaw: number
  readonly #stamps = new StampTimes()
  readonly #books: PackBooks
  readonly #maker: number
  readonly #shower: number
  readonly #colluders: readonly number[]
  readonly #honest: number
  readonly #refused = new Map<PackReason, number>()
  #calm: Coin | null = null
  #expectedRaw = 0
  #colludersExpectedRaw = 0
  #stakedRaw = 0
  #packs = 0
  #colludersPacks = 0
  #worstDayRaw = 0

  constructor({ random, terms, houseRaw, staleness, startMs }: HouseGame) {
    this.#random = random
    this.#terms = terms
    this.#staleness = staleness
    this.#houseRaw = houseRaw
    const driver = this.#driver
    driver.nowMs = startMs
    driver.onCommand = ({ seq, nowMs }) => this.#stamps.note(seq, nowMs)
    const rich = () => driver.addAccount(10 ** 8 * UNIT)
    this.#maker = rich()
    this.#shower = rich()
    this.#colluders = [rich(), rich()]
    this.#honest = rich()
    driver.control({ kind: 'fundHouse', collateralRaw: houseRaw })
    for (const [at, symbol] of ['BTC', 'ETH'].entries()) {
      const slug = symbol.toLowerCase()
      const names = { symbol, stableSlug: `${slug}-now`, slugPrefix: slug }
      driver.control({ kind: 'createSeries', seriesId: at + 1, series: seriesSpec(names) })
    }
    const { clearing } = driver
    const seqAt = (atMs: number) => this.#stamps.seqAt(atMs)
    this.#books = new PackBooks({ clearing, seqAt, restMs: terms.restMs })
    this.#stamps.begin(clearing.lastSeq, startMs)
  }

  get result(): HouseResult {
    const { ledger } = this.#driver.clearing
    const startRaw = 10 ** 8 * UNIT
    return {
      gainRaw: ledger.freeRaw(HOUSE_ACCOUNT) - this.#houseRaw,
      expectedRaw: this.#expectedRaw,
      colludersExpectedRaw: this.#colludersExpectedRaw,
      stakedRaw: this.#stakedRaw,
      packs: this.#packs,
      colludersGainRaw: this.#colluders.reduce((sum, id) => sum + ledger.freeRaw(id) - startRaw, 0),
      colludersPacks: this.#colludersPacks,
      worstDayRaw: this.#worstDayRaw,
      refused: this.#refused,
    }
  }

  day(): void {
    const beforeRaw = this.#driver.clearing.ledger.freeRaw(HOUSE_ACCOUNT)
    for (let slot = 0; slot < SLOTS_PER_DAY; slot++) this.#slot(slot)
    const dayRaw = this.#driver.clearing.ledger.freeRaw(HOUSE_ACCOUNT) - beforeRaw
    this.#worstDayRaw = Math.min(this.#worstDayRaw, dayRaw)
    this.#driver.holds()
  }

  #slot(slot: number): void {
    const startMs = this.#driver.nowMs
    const hasUnwatched = slot % CALM_SLOTS === 0
    const calm = this.#calmIn(slot, startMs)
    const ends = [this.#slotOf(1, startMs), this.#slotOf(2, startMs), this.#plain(startMs)]
    const coins = [...ends, calm]
    const unwatched = hasUnwatched ? [this.#plain(startMs), this.#plain(startMs)] : []
    let shown: OrderRef[][] = []
    for (let step = 0; step < STEPS; step++) {
      this.#driver.nowMs = startMs + step * STEP_MS
      if (step > 0) this.#walk(coins, SLOT_MS - step * STEP_MS)
      for (const coin of coins) this.#requote(coin)
      const watched = coins.map(({ marketId }) => marketId)
      allSteps(this.#books.read(watched, this.#driver.nowMs))
      this.#attack(coins)
      if (step % 4 === 2) this.#buyHonestly(coins)
      if (hasUnwatched) shown = this.#show(unwatched, shown, step)
    }
    this.#driver.nowMs = startMs + SLOT_MS
    this.#walk(coins, 0)
    const isLastOfCalm = slot % CALM_SLOTS === CALM_SLOTS - 1
    const over = isLastOfCalm ? coins : ends
    for (const coin of over) this.#endQuotes(coin)
    for (const [at, refs] of shown.entries()) this.#takeBack(unwatched[at], refs)
    for (const coin of [...over, ...unwatched]) this.#resolve(coin)
  }

  /** The calm market of this hour; now and then its maker quotes it again. */
  #calmIn(slot: number, startMs: number): Coin {
    if (this.#calm === null || slot % CALM_SLOTS === 0) {
      const coin = this.#plain(startMs, CALM_SLOTS * SLOT_MS)
      coin.chance = 0.3 + 0.4 * this.#random.next()
      this.#calm = coin
    } else if (slot % CALM_REQUOTED_SLOTS === 0) this.#endQuotes(this.#calm)
    return this.#calm
  }

  #coin(marketId: number): Coin {
    return { marketId, at: 0, chance: 0.5, quotes: LEVELS.map(() => null) }
  }

  #plain(startMs: number, lengthMs = SLOT_MS): Coin {
    return this.#coin(this.#driver.addMarket({ deadlineMs: startMs + lengthMs }))
  }

  #slotOf(seriesId: number, startMs: number): Coin {
    const { catalogue } = this.#driver.clearing
    const marketId = catalogue.lastId + 1
    const slot = { seriesId, startMs }
    const market = marketSpec(marketId, { slot, deadlineMs: startMs + SLOT_MS })
    this.#driver.control({ kind: 'createMarket', marketId, book: 0, market })
    const book = catalogue.freeBook(LIMITS.booksMax)
    this.#driver.control({ kind: 'openSlot', marketId, book, strikeE8: 1 })
    return this.#coin(marketId)
  }

  #normal(): number {
    const wide = Math.sqrt(-2 * Math.log(1 - this.#random.next()))
    return wide * Math.cos(2 * Math.PI * this.#random.next())
  }

  /** The three coins go on for a step, and `leftMs` are left after it. */
  #walk([first, second, wheel]: readonly Coin[], leftMs: number): void {
    const width = Math.sqrt(STEP_MS)
    const shared = this.#normal()
    const own = this.#normal()
    first.at += width * shared
    second.at += width * (CORRELATION * shared + Math.sqrt(1 - CORRELATION ** 2) * own)
    wheel.at += width * this.#normal()
    for (const coin of [first, second, wheel]) {
      coin.chance = leftMs === 0 ? Number(coin.at > 0) : normalBelow(coin.at / Math.sqrt(leftMs))
    }
  }

  #requote(coin: Coin): void {
    for (const [at, ticks] of LEVELS.entries()) {
      const isAbove = ticks / 1000 > coin.chance + 0.01
      const isBelow = ticks / 1000 < coin.chance - 0.01
      const quote = coin.quotes[at]
      if (quote !== null) {
        if (quote.isBid ? isBelow : isAbove) continue
        if (this.#random.chance(this.#staleness)) continue
        this.#takeBack(coin, [quote])
        coin.quotes[at] = null
      }
      if (!isAbove && !isBelow) continue
      const ref = this.#rest(this.#maker, coin.marketId, { isBid: isBelow, ticks }, LEVEL_RAW)
      if (ref !== null) coin.quotes[at] = { ...ref, isBid: isBelow }
    }
  }

  /** Null when the order would match a stale one. */
  #rest(
    account: number,
    marketId: number,
    { isBid, ticks }: { readonly isBid: boolean; readonly ticks: number },
    sizeRaw: number,
  ): OrderRef | null {
    const token = isBid
      ? { outcome: OUTCOME.YES, priceTicks: ticks }
      : { outcome: OUTCOME.NO, priceTicks: 1000 - ticks }
    const terms = { type: 'GTC' as const, postOnly: true, sizeRaw }
    const placed = this.#driver.place({ account, marketId, side: SIDE.BUY, ...token, ...terms })
    assert(placed.refused === null, 'makers have enough')
    const { slot, generation } = placed
    return placed.result === 'RESTED' ? { slot, generation } : null
  }

  #takeBack({ marketId }: Coin, refs: readonly OrderRef[]): void {
    if (refs.length > 0) this.#driver.cancelMany(marketId, refs)
  }

  #endQuotes(coin: Coin): void {
    this.#takeBack(
      coin,
      coin.quotes.filter((each) => each !== null),
    )
    coin.quotes.fill(null)
  }

  #bestTicks(marketId: number, outcome: number, buyerId: number): number | null {
    const { asks } = this.#books.bookFor({ marketId, outcome, buyerId })
    return windowOf(asks).at(0)?.ticks ?? null
  }

  /** The colluders stake on every pair of outcomes that pays on average, as long as it does. */
  #attack(coins: readonly Coin[]): void {
    const worths = this.#worthsOf(coins)
    for (const [first, second] of PAIRS) {
      // Coins of one window agree in 80 of 100: that alone pays 1.44 at fair prices.
      const isTied = second === 1
      for (const outcomes of [0, 1, 2, 3]) {
        const chosen = [outcomes & 1, outcomes >> 1]
        const worth = 0.9 * worths[first * 2 + chosen[0]] * worths[second * 2 + chosen[1]]
        const isTried = isTied && chosen[0] === chosen[1] && this.#random.chance(0.05)
        if (!isTried && worth <= 1) continue
        const legs = [first, second].map((at, leg) => ({ coin: coins[at], outcome: chosen[leg] }))
        for (const buyer of this.#colluders) this.#buyMost(buyer, legs)
      }
    }
  }

  /** Stakes the most until the house or the books refuse, or it pays no more. */
  #buyMost(buyer: number, legs: readonly Leg[]): void {
    while (this.#buy(buyer, legs, PACK_LIMITS.stakeMaxRaw)) this.#colludersPacks++
  }

  /** By coin and outcome: the true chance divided by the price that the house would take. */
  #worthsOf(coins: readonly Coin[]): number[] {
    const [buyer] = this.#colluders
    return coins.flatMap((coin) =>
      [OUTCOME.YES, OUTCOME.NO].map((outcome) => {
        const ticks = this.#bestTicks(coin.marketId, outcome, buyer)
        return ticks === null ? 0 : (chanceOf(coin, outcome) * 1000) / ticks
      }),
    )
  }

  #buyHonestly(coins: readonly Coin[]): void {
    const [first, second] = PAIRS[1 + this.#random.below(PAIRS.length - 1)]
    const legs = [coins[first], coins[second]].map((coin) => {
      return { coin, outcome: this.#random.below(2) }
    })
    this.#buy(this.#honest, legs, this.#random.between(UNIT, 10 * UNIT))
  }

  /** Shows both sides of the unwatched markets far below the chance, and buys from the house. */
  #show(coins: readonly Coin[], shown: OrderRef[][], step: number): OrderRef[][] {
    const isShort = step < 2
    let left = shown
    if (step === 0 || step === 3) {
      left = coins.map(({ marketId }) =>
        [true, false].flatMap((isBid) => {
          const ticks = isBid ? SHOWN_TICKS - 10 : SHOWN_TICKS
          return this.#rest(this.#shower, marketId, { isBid, ticks }, 4 * LEVEL_RAW) ?? []
        }),
      )
    } else if (!isShort) {
      // Others take an ask at 0.30 of what is worth 0.50.
      for (const [at, refs] of left.entries()) {
        if (refs.length === 0 || this.#random.chance(LEFT_CHANCE)) continue
        this.#takeBack(coins[at], refs)
        left[at] = []
      }
    }
    if (step === 0) this.#driver.nowMs += SHOWN_MS
    allSteps(
      this.#books.read(
        coins.map(({ marketId }) => marketId),
        this.#driver.nowMs,
      ),
    )
    const legs = coins.map((coin) => ({ coin, outcome: OUTCOME.YES }))
    for (const buyer of this.#colluders) {
      this.#buyMost(buyer, legs)
    }
    if (step !== 0) return left
    for (const [at, refs] of left.entries()) this.#takeBack(coins[at], refs)
    return []
  }

  #buy(buyerId: number, legs: readonly Leg[], stakeRaw: number): boolean {
    const { clearing, nowMs } = this.#driver
    const requested = legs.map(({ coin: { marketId }, outcome }) => {
      const rested = this.#books.bookFor({ marketId, outcome, buyerId })
      return { marketId, outcome, asks: rested.asks, rested }
    })
    const by = { offeredRaw: null, ownerId: buyerId, isPaid: true, closeMs: this.#terms.closeMs }
    const priced = pricePack(clearing, { legs: requested, stakeRaw, ...by }, nowMs)
    const isSold = priced.issues.length === 0
    const chance = this.#chanceOf(legs)
    const gainRaw = priced.payoutRaw * chance - stakeRaw
    if (isSold && buyerId !== this.#honest && gainRaw <= 0) return false
    const staking = { profileId: buyerId, stakeRaw }
    const decided = decidePack(clearing, staking, priced, quoteOf(priced), nowMs)
    if (decided instanceof Reject) {
      for (const { code } of new Set<PackIssue>(priced.issues)) {
        this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1)
      }
      return false
    }
    this.#driver.control(decided)
    // Each share pays one raw unit of collateral.
    const sizeRaw: number = priced.payoutRaw
    for (const { marketId, outcome } of requested) {
      this.#books.use({ marketId, outcome, buyerId }, sizeRaw)
    }
    this.#expectedRaw -= gainRaw
    if (buyerId !== this.#honest) this.#colludersExpectedRaw += gainRaw
    this.#stakedRaw += stakeRaw
    this.#packs++
    return true
  }

  /** The true chance of a pair; the coins of the two series agree in 80 of 100 slots. */
  #chanceOf(legs: readonly Leg[]): number {
    return legs.reduce((product, { coin, outcome }) => product * chanceOf(coin, outcome), 1)
  }

  #resolve(coin: Coin): void {
    const driver = this.#driver
    const { packs, catalogue } = driver.clearing
    const { marketId } = coin
    // A coin of a slot has ended at 0 or 1.
    const isYes = this.#random.chance(coin.chance)
    const payoutNumerators = isYes ? ([1, 0] as const) : ([0, 1] as const)
    driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
    const market = catalogue.existing(marketId)
    const counted = [...packs.ofMarket(marketId)].map((packId) => {
      const pack = packs.byId(packId)
      assert(pack !== undefined, 'a market names packs that are not over')
      return { packId, paidRaw: paidRawOf(pack, countedResults(pack, market)) }
    })
    if (counted.length > 0) driver.control({ kind: 'countPacks', marketId, packs: counted })
    driver.control({ kind: 'postPayouts', marketIds: [marketId] })
    if (mayArchive(driver.clearing, market)) driver.control({ kind: 'archiveMarket', marketId })
  }
}

interface Leg {
  readonly coin: Coin
  readonly outcome: number
}

function chanceOf({ chance }: Coin, outcome: number): number {
  return outcome === OUTCOME.YES ? chance : 1 - chance
}

/** The two series, which are tied, and all pairs that are independent. */
const PAIRS = [
  [0, 1],
  [0, 2],
  [1, 2],
  [0, 3],
  [1, 3],
  [2, 3],
] as const
