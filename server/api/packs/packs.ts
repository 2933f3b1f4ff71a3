// Packs and offers of packs (rules §8). A pack is priced in the synchronous step in which it is
// decided: a pack of the house from orders of others that have rested, an offer from the public
// books. A method resolves once its command is durable.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { decidePurchase } from '../../../engine/core/decide/money/curated-packs.ts'
import { decideOnce } from '../../../engine/core/decide/money/moves.ts'
import {
  type LegToPrice,
  type PackIssue,
  type PackQuoteRequest,
  type PricedPack,
  pricePack,
} from '../../../engine/core/decide/money/pack-price.ts'
import {
  decideAccept,
  decideEndOffer,
  decideOffer,
  decidePack,
  type QuotedPack,
} from '../../../engine/core/decide/money/packs.ts'
import { decideFunding } from '../../../engine/core/decide/money/rewards.ts'
import { decideFunds } from '../../../engine/core/decide/partners.ts'
import { type AskLevel, NO_BOOK } from '../../../engine/core/packs/pack-odds.ts'
import type { PackOffer } from '../../../engine/core/packs/packs.ts'
import {
  HOUSE_ACCOUNT,
  type MarketId,
  PACK_ACCOUNT,
  type ProfileId,
  type Seq,
} from '../../../engine/domain/ids.ts'
import type { PackBody } from '../../../engine/domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { dayOf } from '../../../engine/domain/rewards/reward-time.ts'
import type { PropType } from '../../../engine/domain/sports/match.ts'
import type { CollateralRaw, PriceTicks, TimeMs } from '../../../engine/domain/units.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { type MoveRequest, onceOf } from '../portfolio/services.ts'
import { type LegFor, PackBooks } from './pack-books.ts'

/** A requested leg. */
export interface RequestedLeg {
  /** Undefined for a market that is not public. */
  readonly market: PublishedMarket | undefined
  readonly outcome: number
}

export interface PackRequest {
  readonly legs: readonly RequestedLeg[]
  readonly stakeRaw: CollateralRaw
}

export interface Quote extends PricedPack {
  readonly expiresMs: TimeMs
  /** Null for a caller without a profile, and for a pack that cannot be made. */
  readonly quoteId: string | null
}

/** A purchase of a curated pack (rules §8.6). */
export interface ListedPurchase {
  readonly curatedId: Seq
  readonly stakeRaw: CollateralRaw
  readonly payoutMinRaw: CollateralRaw
  readonly deadlineMs: TimeMs
}

/** A pack that would pay less than its buyer's minimum. */
export interface Drifted {
  readonly payoutRaw: CollateralRaw
}

/** A pack that cannot be made, with all its errors. */
export interface Ineligible {
  readonly issues: readonly PackIssue[]
}

export interface HouseFunds {
  /** The balance that the house may lose. */
  readonly balanceRaw: CollateralRaw
  /** Collateral locked in packs and offers. */
  readonly parkedRaw: CollateralRaw
  readonly packCount: number
  readonly offerCount: number
  /** The cost of the packs of this UTC day, including what the open ones may still cost. */
  readonly dayLossRaw: CollateralRaw
  /** The maximum of that cost. */
  readonly dayBoundRaw: CollateralRaw
  /** The maximum as set by operators; null for the default. */
  readonly dayLossMaxRaw: CollateralRaw | null
}

/** An operator's changes to the house; absent fields stay. */
export interface HouseChange {
  readonly collateralRaw?: CollateralRaw | undefined
  readonly dayLossMaxRaw?: CollateralRaw | null | undefined
}

/** The conditions for a leg (rules §8.2). */
export interface PackTerms {
  /** How long an order must rest before it prices a leg. */
  readonly restMs: number
  /** How long before its market's deadline a leg closes. */
  readonly closeMs: number
}

const { priceMinTicks: least, priceMaxTicks: most, windowTicks: span } = PACK_LIMITS

/** The asks of a token in the public book that determine its price, best first. */
export function asksOf({ depth }: PublishedMarket, outcome: number): AskLevel[] {
  return depth.asksToPrice(outcome, { least, most, span })
}

function idsOf(legs: readonly RequestedLeg[]): { marketId: MarketId; outcome: number }[] {
  return legs.map(({ market, outcome }) => ({ marketId: market?.market.marketId ?? 0, outcome }))
}

export class PackDesk {
  readonly #pipeline: Pipeline
  readonly #quotes: PackQuotes
  readonly #restMs: number
  readonly #closeMs: number
  #books: PackBooks
  /** The expiry of each quote that a pack was made of. */
  readonly #usedQuotes = new Map<string, TimeMs>()
  /** Quotes made before the start have expired, because it is unknown which of them were used. */
  #startedMs: TimeMs

  constructor(pipeline: Pipeline, quotes: PackQuotes, { restMs, closeMs }: PackTerms) {
    this.#pipeline = pipeline
    this.#quotes = quotes
    this.#restMs = restMs
    this.#closeMs = closeMs
    this.#books = this.#newBooks()
    this.#startedMs = pipeline.sequencer.nowMs()
  }

  #newBooks(): PackBooks {
    const { clearing, stampTimes } = this.#pipeline
    const seqAt = (atMs: TimeMs) => stampTimes.seqAt(atMs)
    return new PackBooks({ clearing, seqAt, restMs: this.#restMs })
  }

  /**
   * Forgets what another node decided without this one: call it when this node begins to decide.
   */
  restart(): void {
    this.#books = this.#newBooks()
    this.#startedMs = this.#pipeline.sequencer.nowMs()
  }

  /**
   * Reads the orders that may price these legs, in steps. A pack of the house is priced from the
   * latest read.
   */
  reading(legs: readonly RequestedLeg[]): Generator<void, void, void> {
    return this.#books.read(
      legs.flatMap(({ market }) => (market === undefined ? [] : [market.market.marketId])),
      this.#pipeline.sequencer.nowMs(),
    )
  }

  #requestedLeg({ market, outcome }: RequestedLeg, buyerId: ProfileId | null): LegToPrice {
    if (market === undefined) return { marketId: undefined, outcome, asks: [], rested: NO_BOOK }
    const { marketId } = market.market
    const rested = this.#books.bookFor({ marketId, outcome, buyerId })
    return { marketId, outcome, asks: asksOf(market, outcome), rested }
  }

  #priced(
    { legs, stakeRaw }: PackRequest,
    by: Pick<PackQuoteRequest, 'offeredRaw' | 'ownerId' | 'isPaid'>,
    nowMs: TimeMs,
  ): PricedPack {
    const requested = legs.map((leg) => this.#requestedLeg(leg, by.ownerId))
    const request = { legs: requested, stakeRaw, closeMs: this.#closeMs, ...by }
    return pricePack(this.#pipeline.clearing, request, nowMs)
  }

  /** The steps of a quote: they read the books and return the quote. */
  *quoting(
    wanted: PackRequest,
    profileId: ProfileId | null,
  ): Generator<void, Promise<Quote>, void> {
    yield* this.reading(wanted.legs)
    return this.quote(wanted, profileId)
  }

  /** Prices a pack from the orders that were read. Callers without a profile have a null id. */
  async quote(wanted: PackRequest, profileId: ProfileId | null): Promise<Quote> {
    const nowMs = this.#pipeline.sequencer.nowMs()
    const priced = this.#priced(
      wanted,
      { offeredRaw: null, ownerId: profileId, isPaid: false },
      nowMs,
    )
    const expiresMs = nowMs + PACK_LIMITS.quoteMs
    const isGood = profileId !== null && priced.issues.length === 0
    const { legs, stakeRaw } = wanted
    const { payoutRaw } = priced
    const quoted = { profileId: profileId ?? 0, legs: idsOf(legs), stakeRaw }
    const prices = priced.legs.map(({ priceTicks }) => priceTicks)
    const quoteId = isGood ? this.#quotes.idOf(quoted, { payoutRaw, expiresMs, prices }) : null
    // The house funds may not be durable yet (invariant 1).
    await this.#pipeline.durable()
    return { ...priced, expiresMs, quoteId }
  }

  /** The promised pack, and whether the quote was used: each quote is valid for one pack. */
  #withUse(quoteId: string, promised: PromisedPack | null): QuotedPack | null {
    if (promised === null) return null
    const isOfBefore = promised.expiresMs - PACK_LIMITS.quoteMs < this.#startedMs
    return {
      ...promised,
      expiresMs: isOfBefore ? 0 : promised.expiresMs,
      isUsed: this.#usedQuotes.has(quoteId),
    }
  }

  /** A pack is decided: its quote is used, and so are the asks that priced it. */
  #used(quoteId: string, expiresMs: TimeMs, pack: PackBody, nowMs: TimeMs): void {
    // Quotes have the same lifetime, so with few exceptions those used first expire first.
    for (const [oldest, untilMs] of this.#usedQuotes) {
      if (untilMs > nowMs) break
      this.#usedQuotes.delete(oldest)
    }
    this.#usedQuotes.set(quoteId, expiresMs)
    this.#useBooks(pack)
  }

  /** The orders that priced a pack price no other one. */
  #useBooks(pack: PackBody): void {
    if (pack.kind !== 'createPack') return
    const { profileId: buyerId, legs } = pack
    // Each share pays one raw unit of collateral.
    const sizeRaw: number = pack.payoutRaw
    for (const { marketId, outcome } of legs) {
      const leg: LegFor = { marketId, outcome, buyerId }
      this.#books.use(leg, sizeRaw)
    }
  }

  /**
   * Makes the pack of a quote from the orders that were read. Repeating the call returns that pack.
   */
  async create(
    request: MoveRequest,
    wanted: PackRequest,
    quoteId: string,
  ): Promise<Seq | Reject | Ineligible> {
    const { owner: profileId } = request
    const { stakeRaw, legs } = wanted
    const promised = this.#quotes.promisedBy(quoteId, { profileId, legs: idsOf(legs), stakeRaw })
    let issues: readonly PackIssue[] = []
    const once = { ...request, idempotencyKey: request.idempotencyKey ?? `quote ${quoteId}` }
    // Text that is not a quote of this pack cannot have made one earlier.
    const isRepeated = promised !== null
    const made = await this.#once(
      once,
      { stated: ['pack', quoteId], isRepeated },
      (nowMs, once) => {
        const priced = this.#priced(
          wanted,
          { offeredRaw: null, ownerId: profileId, isPaid: true },
          nowMs,
        )
        ;({ issues } = priced)
        const staking = { profileId, stakeRaw, once }
        const quoted = this.#withUse(quoteId, promised)
        const decided = decidePack(this.#pipeline.clearing, staking, priced, quoted, nowMs)
        if (quoted !== null && !(decided instanceof Reject))
          this.#used(quoteId, quoted.expiresMs, decided, nowMs)
        return decided
      },
    )
    return made === REJECT.PACK_NOT_ELIGIBLE ? { issues } : made
  }

  /** The legs of a curated pack; none after it left the list. */
  listedLegs(curatedId: Seq): RequestedLeg[] {
    const { published, clearing } = this.#pipeline
    const legs = clearing.packs.curated.byId(curatedId)?.legs ?? []
    return legs.map(({ marketId, outcome }) => ({ market: published.byId(marketId), outcome }))
  }

  /**
   * Buys a curated pack at the prices of the orders that were read. Repeating the call returns that
   * pack, even after its deadline, and after the pack left the list.
   */
  async buy(
    request: MoveRequest,
    purchase: ListedPurchase,
    stated: readonly unknown[],
  ): Promise<Seq | Reject | Ineligible | Drifted> {
    const { clearing } = this.#pipeline
    const { owner: profileId } = request
    let priced: PricedPack | undefined
    const made = await this.#once(request, { stated, isRepeated: true }, (nowMs, once) => {
      // The sub-account may have left since the call arrived.
      const restricted = decideFunds(clearing, request.callerId, profileId)
      if (restricted !== null) return restricted
      const legs = this.listedLegs(purchase.curatedId)
      const by = { offeredRaw: null, ownerId: profileId, isPaid: true }
      priced = this.#priced({ legs, stakeRaw: purchase.stakeRaw }, by, nowMs)
      const decided = decidePurchase(clearing, { ...purchase, profileId, once }, priced, nowMs)
      if (!(decided instanceof Reject)) this.#useBooks(decided)
      return decided
    })
    if (priced === undefined) return made
    if (made === REJECT.PACK_NOT_ELIGIBLE) return { issues: priced.issues }
    return made === REJECT.PRICE_DRIFTED ? { payoutRaw: priced.payoutRaw } : made
  }

  async offer(
    profileId: ProfileId,
    wanted: PackRequest,
    payoutRaw: CollateralRaw,
  ): Promise<PackOffer | Reject | Ineligible> {
    const { clearing } = this.#pipeline
    let issues: readonly PackIssue[] = []
    let offer: PackOffer | undefined
    const changing = this.#pipeline.change((nowMs) => {
      const priced = this.#priced(
        wanted,
        { offeredRaw: payoutRaw, ownerId: profileId, isPaid: false },
        nowMs,
      )
      ;({ issues } = priced)
      const offering = { profileId, stakeMaxRaw: wanted.stakeRaw, payoutRaw }
      const decided = decideOffer(clearing, offering, priced, nowMs)
      if (!(decided instanceof Reject) && decided.kind === 'offerPack') {
        offer = { ...decided, offerId: clearing.lastSeq + 1, makerId: profileId }
      }
      return decided
    })
    const refused = await changing
    if (refused === REJECT.PACK_NOT_ELIGIBLE) return { issues }
    return refused ?? offer ?? REJECT.OFFER_NOT_FOUND
  }

  endOffer(offerId: Seq, profileId: ProfileId): Promise<Reject | null> {
    return this.#pipeline.change(() => decideEndOffer(this.#pipeline.clearing, offerId, profileId))
  }

  /** An offer takes one stake. Repeating the call returns the pack that it became. */
  async accept(request: MoveRequest, offerId: Seq, stakeRaw: CollateralRaw): Promise<Seq | Reject> {
    const { owner: profileId } = request
    const requested = { ...request, idempotencyKey: request.idempotencyKey ?? `accept ${offerId}` }
    const stated = ['accept', offerId, stakeRaw]
    const made = await this.#once(requested, { stated, isRepeated: true }, (nowMs, once) => {
      const staking = { profileId, stakeRaw, once }
      const times = { nowMs, closeMs: this.#closeMs }
      return decideAccept(this.#pipeline.clearing, offerId, staking, times)
    })
    // A caller that sent no key does not know this one: the offer ended with its own first stake.
    const isOurKey = request.idempotencyKey === undefined
    return isOurKey && made === REJECT.IDEMPOTENCY_KEY_TAKEN ? REJECT.OFFER_NOT_FOUND : made
  }

  /** Markets that accept packs, newest first: a page of them, and their total. */
  markets(skip: number, limit: number): { markets: PublishedMarket[]; total: number } {
    const { published } = this.#pipeline
    const ids = published.forPacks.page(skip, limit)
    const markets = ids.flatMap((marketId) => published.byId(marketId) ?? [])
    return { markets, total: published.forPacks.count }
  }

  /** The best usable ask of an outcome; null without one, and for a market that has ended. */
  bookTicks({ status, depth }: PublishedMarket, outcome: number): PriceTicks | null {
    if (status !== 'FUNDED') return null
    const { priceMinTicks, priceMaxTicks } = PACK_LIMITS
    return depth.bestAskWithin(outcome, priceMinTicks, priceMaxTicks)
  }

  /** The question of the market about its match; null for a market without a match. */
  requestsOfMatch({ market }: PublishedMarket): { readonly propType: PropType | null } | null {
    const match = this.#pipeline.published.matches.byMarket(market.marketId)
    return match?.markets.find(({ marketId }) => marketId === market.marketId) ?? null
  }

  /** Returns the seq of the command that the call became, now or, for a repeated call, earlier. */
  async #once(
    request: MoveRequest,
    { stated, isRepeated }: { readonly stated: readonly unknown[]; readonly isRepeated: boolean },
    decide: (nowMs: TimeMs, once: ReturnType<typeof onceOf>) => PackBody | Reject,
  ): Promise<Seq | Reject> {
    const { clearing } = this.#pipeline
    let seq: Seq = 0
    const refused = await this.#pipeline.change((nowMs) => {
      const once = onceOf(request, stated, nowMs)
      const found = decideOnce(clearing, once, nowMs)
      if (found instanceof Reject) return found
      const before = isRepeated ? found : undefined
      seq = before?.seq ?? clearing.lastSeq + 1
      return before === undefined ? decide(nowMs, once) : null
    })
    return refused ?? seq
  }

  async house(): Promise<HouseFunds> {
    const { ledger, packs } = this.#pipeline.clearing
    const { houseDay, houseRisk } = packs
    const freeRaw = ledger.freeRaw(HOUSE_ACCOUNT)
    const day = dayOf(this.#pipeline.sequencer.nowMs())
    const funds = {
      balanceRaw: freeRaw,
      parkedRaw: ledger.freeRaw(PACK_ACCOUNT),
      packCount: packs.count,
      offerCount: packs.offerCount,
      dayLossRaw: houseDay.lossRaw(day),
      dayBoundRaw: houseDay.boundRaw(day, freeRaw + houseRisk.totalRaw),
      dayLossMaxRaw: houseDay.maxRaw,
    }
    await this.#pipeline.durable()
    return funds
  }

  /** Deposits (positive) or withdraws (negative) collateral, and sets the daily limit. */
  async changeHouse(
    { collateralRaw = 0, dayLossMaxRaw }: HouseChange,
    by: string,
  ): Promise<HouseFunds | Reject> {
    const ofDay = dayLossMaxRaw === undefined ? {} : { dayLossMaxRaw }
    const refused = await this.#pipeline.change(() => {
      const reject = decideFunding(this.#pipeline.clearing, HOUSE_ACCOUNT, collateralRaw)
      return reject ?? { kind: 'fundHouse', collateralRaw, ...ofDay }
    }, by)
    return refused ?? this.house()
  }
}

// The content of a quote, in a text that only this exchange can make: quotes are not stored
// (rules §8.3). Its MAC also covers the requester, the legs and the stake. The bytes of the text,
// as base64url, numbers big-endian:
//
//    0  payout, raw        u64
//    8  expiry             u64, Unix ms
//   16  price of each leg  u16 × 5, ticks; 0 for a missing leg
//   26  MAC                16 bytes

export interface QuotedLeg {
  readonly marketId: MarketId
  readonly outcome: number
}

/** The quoted pack and the profile that it is quoted to. */
export interface Quoted {
  readonly profileId: ProfileId
  readonly legs: readonly QuotedLeg[]
  readonly stakeRaw: CollateralRaw
}

const PRICES_AT = 16
const PRICE_BYTES = 2
const HEAD_BYTES = PRICES_AT + PACK_LIMITS.legsMax * PRICE_BYTES
const MAC_BYTES = 16
/** The pattern of a quoteId: 42 bytes as base64url. */
export const QUOTE_ID = '^[A-Za-z0-9_-]{56}$'

/** The terms of a quote. Its text does not show whether a pack was made of it. */
export type PromisedPack = Omit<QuotedPack, 'isUsed'>

export class PackQuotes {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  idOf(quoted: Quoted, { payoutRaw, expiresMs, prices }: PromisedPack): string {
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeBigUInt64BE(BigInt(payoutRaw), 0)
    head.writeBigUInt64BE(BigInt(expiresMs), 8)
    for (const [at, ticks] of prices.entries()) {
      head.writeUInt16BE(ticks, PRICES_AT + at * PRICE_BYTES)
    }
    return Buffer.concat([head, this.#mac(quoted, head)]).toString('base64url')
  }

  /** Null for a text that is not a quote of this pack to this profile. */
  promisedBy(quoteId: string, quoted: Quoted): PromisedPack | null {
    const bytes = Buffer.from(quoteId, 'base64url')
    if (bytes.length !== HEAD_BYTES + MAC_BYTES) return null
    const head = bytes.subarray(0, HEAD_BYTES)
    if (!timingSafeEqual(bytes.subarray(HEAD_BYTES), this.#mac(quoted, head))) return null
    return {
      payoutRaw: Number(head.readBigUInt64BE(0)),
      expiresMs: Number(head.readBigUInt64BE(8)),
      prices: quoted.legs.map((_leg, at) => head.readUInt16BE(PRICES_AT + at * PRICE_BYTES)),
    }
  }

  #mac({ profileId, legs, stakeRaw }: Quoted, head: Buffer): Buffer {
    const stated = legs.map(({ marketId, outcome }) => [marketId, outcome])
    const text = JSON.stringify([profileId, stakeRaw, stated])
    const mac = createHmac('sha256', this.#key).update(head).update(text)
    return mac.digest().subarray(0, MAC_BYTES)
  }
}
