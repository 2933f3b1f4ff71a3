// Open packs, and offers that wait for a stake (rules §8.5). Only commands change them; one thread
// writes. Stakes and possible winnings are in the pack account, so every pack can always be paid.
// Invariants: the pack account holds the payouts of all packs and the reserves of all offers; a
// market lists the packs with an uncounted leg in it; the house's possible loss is the sum over its
// open packs (house-risk.ts); `owners` counts the packs of each owner, `makers` the offers of each
// maker.

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { Seq } from '../../domain/ids.ts'
import { HOUSE_ACCOUNT, type MarketId, PACK_ACCOUNT, type ProfileId } from '../../domain/ids.ts'
import type { PackBody, PackLeg } from '../../domain/packs/pack-command.ts'
import { addTo } from '../../domain/sums.ts'
import type { CollateralRaw, TimeMs } from '../../domain/units.ts'
import type { Catalogue, Market } from '../markets/catalogue.ts'
import type { Blocks } from '../money/blocks.ts'
import type { Ledger } from '../money/ledger.ts'
import type { MadeCalls } from '../moves/made-calls.ts'
import { type CapturedCuration, CuratedPacks } from './curated-packs.ts'
import { type CapturedHouseDay, HouseDay } from './house-day.ts'
import { HouseRisk } from './house-risk.ts'
import { payoutWithoutRaw } from './pack-odds.ts'

/** Results of a leg. The index is stored in the state and in the tables. */
export const LEG_RESULTS = ['PENDING', 'WON', 'LOST', 'VOID'] as const
export type LegResult = (typeof LEG_RESULTS)[number]

export interface Pack {
  /** Seq of the command that created it. */
  readonly packId: Seq
  readonly ownerId: ProfileId
  /** The account that pays the winnings; null for the house. */
  readonly makerId: ProfileId | null
  readonly stakeRaw: CollateralRaw
  readonly payoutRaw: CollateralRaw
  readonly legs: readonly PackLeg[]
  /** The UTC day whose house limit it counts for; absent for none. */
  readonly day?: number
  /** The curated pack that was bought; absent if the owner chose the legs. */
  readonly curatedId?: Seq
  /** By leg. */
  readonly results: readonly LegResult[]
}

export interface PackOffer {
  /** Seq of the command that created it. */
  readonly offerId: Seq
  readonly makerId: ProfileId
  readonly stakeMaxRaw: CollateralRaw
  readonly payoutRaw: CollateralRaw
  readonly expiresMs: TimeMs
  readonly legs: readonly PackLeg[]
}

export interface CapturedPacks {
  readonly packs: readonly Pack[]
  readonly offers: readonly PackOffer[]
  readonly houseDay: CapturedHouseDay
  readonly curated: CapturedCuration
}

interface PackState {
  readonly ledger: Ledger
  readonly catalogue: Catalogue
  readonly calls: MadeCalls
  readonly blocks: Blocks
}

/** The result of a leg in a resolved market. */
export function resultOf({ payoutNumerators }: Market, outcome: number): LegResult {
  assert(payoutNumerators !== null, 'only a resolved market counts')
  const [yes, no] = payoutNumerators
  if (yes > 0 && no > 0) return 'VOID'
  const winner = yes > 0 ? 0 : 1
  return winner === outcome ? 'WON' : 'LOST'
}

/** The payout of the pack with these results; null while undecided. */
export function paidRawOf(pack: Pack, results: readonly LegResult[]): CollateralRaw | null {
  if (results.includes('LOST')) return 0
  if (results.includes('PENDING')) return null
  const pricesWith = (wanted: LegResult) =>
    pack.legs.filter((_leg, at) => results[at] === wanted).map(({ priceTicks }) => priceTicks)
  return payoutWithoutRaw(pack, pricesWith('VOID'), pricesWith('WON'))
}

/** The results of a pack after this market counts. */
export function countedResults({ legs, results }: Pack, market: Market): readonly LegResult[] {
  return results.map((result, at) =>
    legs[at].marketId === market.marketId ? resultOf(market, legs[at].outcome) : result,
  )
}

export class Packs {
  readonly #byId = new Map<Seq, Pack>()
  readonly #byMarket = new Map<MarketId, Set<Seq>>()
  readonly #offers = new Map<Seq, PackOffer>()
  readonly owners: OwnerCounts
  readonly makers: OwnerCounts
  /** Offers added or removed since the start. Not part of the state. */
  offerChanges = 0
  /** A profile's stakes in packs, and the reserves of its offers. */
  readonly #parkedOf = new Map<ProfileId, CollateralRaw>()
  /** Resolved markets with uncounted legs of packs. */
  readonly due = new Set<MarketId>()
  /** Derived from the packs, so snapshots and the state hash exclude it. */
  readonly houseRisk = new HouseRisk()
  readonly houseDay = new HouseDay()
  readonly curated = new CuratedPacks()

  constructor(shareOwnerOf: ShareOwnerOf) {
    this.owners = new OwnerCounts(shareOwnerOf)
    this.makers = new OwnerCounts(shareOwnerOf)
  }

  get count(): number {
    return this.#byId.size
  }

  get offerCount(): number {
    return this.#offers.size
  }

  /** Stakes of open packs, and reserves of offers. */
  parkedRaw(profileId: ProfileId): CollateralRaw {
    return this.#parkedOf.get(profileId) ?? 0
  }

  byId(packId: Seq): Pack | undefined {
    return this.#byId.get(packId)
  }

  all(): Iterable<Pack> {
    return this.#byId.values()
  }

  offer(offerId: Seq): PackOffer | undefined {
    return this.#offers.get(offerId)
  }

  /** Oldest first. All offers have the same lifetime, so they end in this order. */
  offers(): Iterable<PackOffer> {
    return this.#offers.values()
  }

  /** The packs with an uncounted leg in the market. */
  ofMarket(marketId: MarketId): Iterable<Seq> {
    return this.#byMarket.get(marketId) ?? []
  }

  /** From now on the market counts for its packs. */
  resolved(marketId: MarketId): void {
    this.curated.resolved(marketId)
    if (this.hasLegOf(marketId)) this.due.add(marketId)
  }

  hasLegOf(marketId: MarketId): boolean {
    return this.#byMarket.has(marketId)
  }

  apply(command: CommandOf<'packs'>, state: PackState): void {
    const { ledger, calls, blocks } = state
    switch (command.kind) {
      case 'createPack': {
        const { profileId, stakeRaw, payoutRaw, legs, once, seq, day, curatedId } = command
        const ofDay = day === undefined ? {} : { day }
        const ofList = curatedId === undefined ? {} : { curatedId }
        if (once !== undefined) calls.made({ ...once, profileId, seq })
        ledger.takeCollateral(profileId, stakeRaw)
        ledger.takeSystem(HOUSE_ACCOUNT, payoutRaw - stakeRaw)
        ledger.creditSystem(PACK_ACCOUNT, payoutRaw)
        this.#add(packOf(command, { ownerId: profileId, makerId: null, legs, ...ofDay, ...ofList }))
        // A purchase of a curated pack has a transaction, which the next block contains.
        if (curatedId !== undefined) blocks.moved(seq)
        return
      }
      case 'offerPack':
        this.#offered(command, ledger)
        return
      case 'acceptPackOffer':
        this.#accepted(command, state)
        return
      case 'endPackOffers':
        for (const offerId of command.offerIds) this.#endOffer(offerId, ledger)
        return
      case 'countPacks':
        this.#counted(command, state)
        return
      case 'fundHouse':
        if (command.collateralRaw !== 0) ledger.fundSystem(HOUSE_ACCOUNT, command.collateralRaw)
        if (command.dayLossMaxRaw !== undefined) this.houseDay.setMax(command.dayLossMaxRaw)
        return
      case 'curatePack':
      case 'removeCuratedPack':
        this.curated.apply(command)
        return
      default:
        command satisfies never
    }
  }

  #offered(
    { profileId, stakeMaxRaw, payoutRaw, expiresMs, legs, seq }: Offering,
    ledger: Ledger,
  ): void {
    const lockedRaw = payoutRaw - stakeMaxRaw
    ledger.takeCollateral(profileId, lockedRaw)
    ledger.creditSystem(PACK_ACCOUNT, lockedRaw)
    this.#putOffer({ offerId: seq, makerId: profileId, stakeMaxRaw, payoutRaw, expiresMs, legs })
  }

  #putOffer(offer: PackOffer): void {
    const { offerId, makerId } = offer
    this.#offers.set(offerId, offer)
    this.makers.add(makerId, 1)
    this.offerChanges++
    addTo(this.#parkedOf, makerId, offer.payoutRaw - offer.stakeMaxRaw)
  }

  /** Removes an offer from the list. Its reserve stays in the pack account. */
  #takeOffer(offerId: Seq): PackOffer {
    const offer = this.#offers.get(offerId)
    assert(offer !== undefined, 'the offer of a command is open')
    this.#offers.delete(offerId)
    this.makers.add(offer.makerId, -1)
    this.offerChanges++
    addTo(this.#parkedOf, offer.makerId, offer.stakeMaxRaw - offer.payoutRaw)
    return offer
  }

  #endOffer(offerId: Seq, ledger: Ledger): void {
    const { makerId, payoutRaw, stakeMaxRaw } = this.#takeOffer(offerId)
    ledger.takeSystem(PACK_ACCOUNT, payoutRaw - stakeMaxRaw)
    ledger.creditCollateral(makerId, payoutRaw - stakeMaxRaw)
  }

  #accepted(command: Accepting, { ledger, calls }: PackState): void {
    const { offerId, profileId, stakeRaw, payoutRaw, once, seq } = command
    if (once !== undefined) calls.made({ ...once, profileId, seq })
    const offer = this.#takeOffer(offerId)
    const { makerId, legs } = offer
    const unusedRaw = offer.payoutRaw - offer.stakeMaxRaw - (payoutRaw - stakeRaw)
    ledger.takeCollateral(profileId, stakeRaw)
    ledger.creditSystem(PACK_ACCOUNT, stakeRaw)
    ledger.takeSystem(PACK_ACCOUNT, unusedRaw)
    ledger.creditCollateral(makerId, unusedRaw)
    this.#add(packOf(command, { ownerId: profileId, makerId, legs }))
  }

  #counted(
    { packs, marketId, seq }: Stamped<Extract<PackBody, { kind: 'countPacks' }>>,
    { catalogue, ledger, blocks }: PackState,
  ): void {
    const market = catalogue.existing(marketId)
    for (const { packId, paidRaw } of packs) {
      const pack = this.#byId.get(packId)
      assert(pack !== undefined, 'a leg counts for an open pack')
      const results = countedResults(pack, market)
      assert(paidRawOf(pack, results) === paidRaw, 'the payment follows from the results')
      this.#forgetLegs(pack, paidRaw === null ? [marketId] : undefined)
      if (paidRaw === null) this.#byId.set(packId, { ...pack, results })
      else {
        this.#end(pack, paidRaw, ledger)
        // The payout of a curated pack is the transaction of its claim.
        if (pack.curatedId !== undefined && paidRaw > 0) blocks.moved(seq)
      }
    }
  }

  #end(pack: Pack, paidRaw: CollateralRaw, ledger: Ledger): void {
    const { packId, ownerId, makerId, payoutRaw, stakeRaw } = pack
    ledger.takeSystem(PACK_ACCOUNT, payoutRaw)
    ledger.creditCollateral(ownerId, paidRaw)
    if (makerId === null) ledger.creditSystem(HOUSE_ACCOUNT, payoutRaw - paidRaw)
    else ledger.creditCollateral(makerId, payoutRaw - paidRaw)
    this.#byId.delete(packId)
    this.owners.add(ownerId, -1)
    addTo(this.#parkedOf, ownerId, -stakeRaw)
    if (makerId !== null) addTo(this.#parkedOf, makerId, stakeRaw - payoutRaw)
    else {
      this.houseRisk.ended(pack)
      this.houseDay.ended(pack, paidRaw)
    }
  }

  #add(pack: Pack): void {
    const { packId, ownerId, makerId, stakeRaw, payoutRaw, legs, results } = pack
    this.#byId.set(packId, pack)
    this.owners.add(ownerId, 1)
    addTo(this.#parkedOf, ownerId, stakeRaw)
    if (makerId !== null) addTo(this.#parkedOf, makerId, payoutRaw - stakeRaw)
    else {
      this.houseRisk.made(pack)
      this.houseDay.made(pack)
    }
    for (const [at, { marketId }] of legs.entries()) {
      if (results[at] !== 'PENDING') continue
      const packs = this.#byMarket.get(marketId) ?? new Set()
      this.#byMarket.set(marketId, packs.add(packId))
    }
  }

  /** The pack no longer waits for these markets, by default for all of its markets. */
  #forgetLegs({ packId, legs }: Pack, marketIds = legs.map(({ marketId }) => marketId)): void {
    for (const marketId of marketIds) {
      const packs = this.#byMarket.get(marketId)
      if (packs?.delete(packId) !== true || packs.size > 0) continue
      this.#byMarket.delete(marketId)
      this.due.delete(marketId)
    }
  }

  /** The full state, for the state hash; empty before the first pack or offer. */
  *hashedFields(): Iterable<unknown> {
    for (const {
      packId,
      ownerId,
      makerId,
      stakeRaw,
      payoutRaw,
      legs,
      results,
      day,
      curatedId,
    } of this.all()) {
      const counted = legs.map(({ marketId, outcome, priceTicks }, at) => {
        return [marketId, outcome, priceTicks, results[at]]
      })
      yield ['pack', packId, ownerId, makerId, stakeRaw, payoutRaw, counted]
      if (day !== undefined) yield ['packDay', packId, day]
      if (curatedId !== undefined) yield ['packOfList', packId, curatedId]
    }
    for (const { offerId, makerId, stakeMaxRaw, payoutRaw, expiresMs, legs } of this.offers()) {
      const priced = legs.map(({ marketId, outcome, priceTicks }) => [
        marketId,
        outcome,
        priceTicks,
      ])
      yield ['packOffer', offerId, makerId, stakeMaxRaw, payoutRaw, expiresMs, priced]
    }
    yield* this.houseDay.hashedFields()
    yield* this.curated.hashedFields()
  }

  /** Oldest first: packs and offers keep their order. */
  capture(): CapturedPacks {
    const [packs, offers] = [[...this.#byId.values()], [...this.#offers.values()]]
    const curated = this.curated.capture()
    return { packs, offers, houseDay: this.houseDay.capture(), curated }
  }

  restore({ packs, offers, houseDay, curated }: CapturedPacks, catalogue: Catalogue): void {
    assert(this.count + this.offerCount === 0, 'only a fresh state is restored')
    this.houseDay.restore(houseDay)
    this.curated.restore(curated)
    for (const pack of packs) this.#add(pack)
    for (const offer of offers) this.#putOffer(offer)
    for (const marketId of this.#byMarket.keys()) {
      if (catalogue.existing(marketId).status === 'RESOLVED') this.due.add(marketId)
    }
  }
}

type Stamped<Body> = Body & { readonly seq: Seq; readonly nowMs: TimeMs }
type Offering = Stamped<Extract<PackBody, { kind: 'offerPack' }>>
type Accepting = Stamped<Extract<PackBody, { kind: 'acceptPackOffer' }>>

function packOf(
  { seq, stakeRaw, payoutRaw }: Pick<Accepting, 'seq' | 'stakeRaw' | 'payoutRaw'>,
  parts: Pick<Pack, 'ownerId' | 'makerId' | 'legs' | 'day' | 'curatedId'>,
): Pack {
  const results = parts.legs.map(() => 'PENDING' as const)
  return { packId: seq, stakeRaw, payoutRaw, results, ...parts }
}
