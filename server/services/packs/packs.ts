// Packs and offers of packs (rules §8). A pack is priced from the public books, in the stretch in
// which it is decided. A method answers once its command is durable.

import { decideOnce } from '../../../engine/core/decide/money/moves.ts'
import {
  type AskedLeg,
  decideAccept,
  decideEndOffer,
  decideOffer,
  decidePack,
  type PackAsk,
  type PackIssue,
  type PricedPack,
  pricePack,
} from '../../../engine/core/decide/money/packs.ts'
import { decideFunding } from '../../../engine/core/decide/money/rewards.ts'
import type { AskLevel } from '../../../engine/core/packs/pack-odds.ts'
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
import type { PropType } from '../../../engine/domain/sports/match.ts'
import type { CollateralRaw, PriceTicks, TimeMs } from '../../../engine/domain/units.ts'
import type { Pipeline } from '../../pipeline/pipeline.ts'
import type { PublishedMarket } from '../../pipeline/shown/published.ts'
import { type MoveAsk, onceOf } from '../portfolio/moves-once.ts'
import type { PackQuotes } from './pack-quotes.ts'

/** A leg as it was asked for. */
export interface WishedLeg {
  /** Undefined for a market that nobody can see. */
  readonly market: PublishedMarket | undefined
  readonly outcome: number
}

export interface PackWish {
  readonly legs: readonly WishedLeg[]
  readonly stakeRaw: CollateralRaw
}

export interface Quote extends PricedPack {
  readonly expiresMs: TimeMs
  /** Null for a caller without a profile, and for a pack that cannot be made. */
  readonly quoteId: string | null
}

/** A pack that cannot be made, and all that is wrong with it. */
export interface Ineligible {
  readonly issues: readonly PackIssue[]
}

export interface HouseFunds {
  /** What the house may lose. */
  readonly balanceRaw: CollateralRaw
  /** What lies with packs and offers. */
  readonly parkedRaw: CollateralRaw
  readonly packCount: number
  readonly offerCount: number
}

const { priceMinTicks: least, priceMaxTicks: most, windowTicks: span } = PACK_LIMITS

/** The asks of a token in the public book that its price rests on, best first. */
export function asksOf({ depth }: PublishedMarket, outcome: number): AskLevel[] {
  return depth.asksToPrice(outcome, { least, most, span })
}

function askedLeg({ market, outcome }: WishedLeg): AskedLeg {
  if (market === undefined) return { marketId: undefined, outcome, asks: [] }
  return { marketId: market.market.marketId, outcome, asks: asksOf(market, outcome) }
}

function idsOf(legs: readonly WishedLeg[]): { marketId: MarketId; outcome: number }[] {
  return legs.map(({ market, outcome }) => ({ marketId: market?.market.marketId ?? 0, outcome }))
}

export class PackDesk {
  readonly #pipeline: Pipeline
  readonly #quotes: PackQuotes

  constructor(pipeline: Pipeline, quotes: PackQuotes) {
    this.#pipeline = pipeline
    this.#quotes = quotes
  }

  #priced(
    { legs, stakeRaw }: PackWish,
    by: Pick<PackAsk, 'offeredRaw' | 'ownerId' | 'isPaid'>,
    nowMs: TimeMs,
  ): PricedPack {
    return pricePack(this.#pipeline.clearing, { legs: legs.map(askedLeg), stakeRaw, ...by }, nowMs)
  }

  /** `profileId` is null for a caller without a profile. */
  async quote(wish: PackWish, profileId: ProfileId | null): Promise<Quote> {
    const nowMs = this.#pipeline.sequencer.nowMs()
    const priced = this.#priced(
      wish,
      { offeredRaw: null, ownerId: profileId, isPaid: false },
      nowMs,
    )
    const expiresMs = nowMs + PACK_LIMITS.quoteMs
    const isGood = profileId !== null && priced.issues.length === 0
    const { legs, stakeRaw } = wish
    const { payoutRaw } = priced
    const quoted = { profileId: profileId ?? 0, legs: idsOf(legs), stakeRaw }
    const prices = priced.legs.map(({ priceTicks }) => priceTicks)
    const quoteId = isGood ? this.#quotes.idOf(quoted, { payoutRaw, expiresMs, prices }) : null
    // What the house holds may not be durable yet (law 1).
    await this.#pipeline.durable()
    return { ...priced, expiresMs, quoteId }
  }

  /** Makes the pack of a quote; the same call again gives that pack. */
  async create(ask: MoveAsk, wish: PackWish, quoteId: string): Promise<Seq | Reject | Ineligible> {
    const { owner: profileId } = ask
    const { stakeRaw, legs } = wish
    const quoted = this.#quotes.promisedBy(quoteId, { profileId, legs: idsOf(legs), stakeRaw })
    let issues: readonly PackIssue[] = []
    const once = { ...ask, idempotencyKey: ask.idempotencyKey ?? `quote ${quoteId}` }
    // What is no quote of this pack made none before.
    const isRepeated = quoted !== null
    const made = await this.#once(once, { said: ['pack', quoteId], isRepeated }, (nowMs, once) => {
      const priced = this.#priced(
        wish,
        { offeredRaw: null, ownerId: profileId, isPaid: true },
        nowMs,
      )
      ;({ issues } = priced)
      const staking = { profileId, stakeRaw, once }
      return decidePack(this.#pipeline.clearing, staking, priced, quoted, nowMs)
    })
    return made === REJECT.PACK_NOT_ELIGIBLE ? { issues } : made
  }

  async offer(
    profileId: ProfileId,
    wish: PackWish,
    payoutRaw: CollateralRaw,
  ): Promise<PackOffer | Reject | Ineligible> {
    const { clearing } = this.#pipeline
    let issues: readonly PackIssue[] = []
    let offer: PackOffer | undefined
    const changing = this.#pipeline.change((nowMs) => {
      const priced = this.#priced(
        wish,
        { offeredRaw: payoutRaw, ownerId: profileId, isPaid: false },
        nowMs,
      )
      ;({ issues } = priced)
      const offering = { profileId, stakeMaxRaw: wish.stakeRaw, payoutRaw }
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

  /** An offer takes one stake; the same call again gives the pack that it became. */
  async accept(ask: MoveAsk, offerId: Seq, stakeRaw: CollateralRaw): Promise<Seq | Reject> {
    const { owner: profileId } = ask
    const asked = { ...ask, idempotencyKey: ask.idempotencyKey ?? `accept ${offerId}` }
    const said = ['accept', offerId, stakeRaw]
    const made = await this.#once(asked, { said, isRepeated: true }, (nowMs, once) => {
      const staking = { profileId, stakeRaw, once }
      return decideAccept(this.#pipeline.clearing, offerId, staking, nowMs)
    })
    // A caller that sent no key knows of none: the offer is over since its own first stake.
    const isOurKey = ask.idempotencyKey === undefined
    return isOurKey && made === REJECT.IDEMPOTENCY_KEY_TAKEN ? REJECT.OFFER_NOT_FOUND : made
  }

  /** Markets that take packs, newest first: a part of them, and how many there are. */
  markets(skip: number, limit: number): { markets: PublishedMarket[]; total: number } {
    const { published } = this.#pipeline
    const ids = published.forPacks.page(skip, limit)
    const markets = ids.flatMap((marketId) => published.byId(marketId) ?? [])
    return { markets, total: published.forPacks.count }
  }

  /** The best usable ask of an outcome; null without one, and for a market that is over. */
  bookTicks({ status, depth }: PublishedMarket, outcome: number): PriceTicks | null {
    if (status !== 'FUNDED') return null
    const { priceMinTicks, priceMaxTicks } = PACK_LIMITS
    return depth.bestAskWithin(outcome, priceMinTicks, priceMaxTicks)
  }

  /** What the market asks of its match; null for a market of no match. */
  askedOfMatch({ market }: PublishedMarket): { readonly propType: PropType | null } | null {
    const match = this.#pipeline.published.matches.byMarket(market.marketId)
    return match?.markets.find(({ marketId }) => marketId === market.marketId) ?? null
  }

  /** Gives the seq of the command that the call became, now or, when it may be repeated, before. */
  async #once(
    ask: MoveAsk,
    { said, isRepeated }: { readonly said: readonly unknown[]; readonly isRepeated: boolean },
    decide: (nowMs: TimeMs, once: ReturnType<typeof onceOf>) => PackBody | Reject,
  ): Promise<Seq | Reject> {
    const { clearing } = this.#pipeline
    let seq: Seq = 0
    const refused = await this.#pipeline.change((nowMs) => {
      const once = onceOf(ask, said, nowMs)
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
    const funds = {
      balanceRaw: ledger.freeRaw(HOUSE_ACCOUNT),
      parkedRaw: ledger.freeRaw(PACK_ACCOUNT),
      packCount: packs.count,
      offerCount: packs.offerCount,
    }
    await this.#pipeline.durable()
    return funds
  }

  /** Takes collateral of the house in (positive) or out (negative). */
  async fundHouse(collateralRaw: CollateralRaw, by: string): Promise<HouseFunds | Reject> {
    const refused = await this.#pipeline.change(() => {
      const reject = decideFunding(this.#pipeline.clearing, HOUSE_ACCOUNT, collateralRaw)
      return reject ?? { kind: 'fundHouse', collateralRaw }
    }, by)
    return refused ?? this.house()
  }
}
