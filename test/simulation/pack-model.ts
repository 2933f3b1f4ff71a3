// Models packs and offers of packs, by commands alone, in the purses of the reference model (rules
// §8).

import assert from 'node:assert/strict'
import type { ControlCommand } from '../../engine/domain/command.ts'
import { HOUSE_ACCOUNT, PACK_ACCOUNT } from '../../engine/domain/ids.ts'
import type { CuratedLeg, PackLeg } from '../../engine/domain/packs/pack-command.ts'
import type { SlowExchange } from '../support/reference-book.ts'
import { type MarketModel, statusOf } from './market-model.ts'
import type { MarketsModel } from './markets-model.ts'

type Of<Kind extends ControlCommand['kind']> = Extract<ControlCommand, { kind: Kind }>
type Result = 'PENDING' | 'WON' | 'LOST' | 'VOID'

interface LegModel extends PackLeg {
  readonly result: Result
}

export interface PackModelEntry {
  readonly owner: number
  /** 0 for the house. */
  readonly maker: number
  readonly stake: bigint
  readonly payout: bigint
  readonly legs: readonly LegModel[]
  /** The UTC day on which it was made. */
  readonly day: number
}

export interface OfferModel {
  readonly maker: number
  readonly stakeMax: bigint
  readonly payout: bigint
  readonly expiresMs: number
  readonly legs: readonly PackLeg[]
}

/** A pack that operators curate. */
interface ListedPack {
  readonly name: string
  readonly legs: readonly CuratedLeg[]
}

/** A pack that is requested of the house, or was just made with no further risk. */
interface Bet {
  readonly owner: number
  readonly risk: bigint
  readonly legs: readonly Pick<PackLeg, 'marketId' | 'outcome'>[]
  readonly day: number
}

interface Elsewhere {
  readonly slow: SlowExchange
  readonly venue: MarketsModel
  readonly frozen: ReadonlySet<number>
}

/** What a stake on legs pays: nine tenths of it, divided by one price after the other, exactly. */
export function paidFor(stake: bigint, prices: readonly number[]): bigint {
  const ones = prices.reduce((product) => product * 1000n, 1n)
  const chances = prices.reduce((product, ticks) => product * BigInt(ticks), 1n)
  return (stake * 9n * ones) / (chances * 10n)
}

/** Whether packs may ever have a leg of the market. */
export function takesPacks({ kind, takerDelayMs }: MarketModel): boolean {
  return kind === 'clob' && takerDelayMs === 0
}

/** Whether the market may be a leg at this time. */
export function isActive(market: MarketModel, nowMs: number): boolean {
  const isOpen = statusOf(market) === 'FUNDED' || statusOf(market) === 'CREATED'
  return isOpen && !market.isFailed && (market.deadlineMs ?? Number.POSITIVE_INFINITY) > nowMs
}

/** Whether one of the two markets says much of the other. */
export function areTied(venue: MarketsModel, one: number, other: number): boolean {
  const [a, b] = [venue.all[one - 1], venue.all[other - 1]]
  if (a.groupId !== 0 && a.groupId === b.groupId) return true
  if (a.slot === null || b.slot === null) return false
  const [ofA, ofB] = [venue.series.all[a.slot.seriesId - 1], venue.series.all[b.slot.seriesId - 1]]
  const from = Math.max(a.slot.startMs, b.slot.startMs)
  const to = Math.min(a.slot.startMs + ofA.slotMs, b.slot.startMs + ofB.slotMs)
  return ofA.symbol === ofB.symbol || from < to
}

export class PackModel {
  readonly packs = new Map<number, PackModelEntry>()
  readonly offers = new Map<number, OfferModel>()
  /** The packs that operators curate. */
  readonly listed = new Map<number, ListedPack>()
  /** Markets of which the house ever sold a leg. */
  readonly sold = new Set<number>()
  /** Packs that the house ever sold. */
  houseCount = 0
  /** What packs that are over cost the house, by the day on which they were made. */
  readonly costs = new Map<number, bigint>()
  /** The accounts whose collateral the last command moved. */
  touched: readonly number[] = []
  /** What the last command did, in words, for those who count. */
  plays: readonly string[] = []

  copy(): PackModel {
    const model = new PackModel()
    for (const [packId, pack] of this.packs) model.packs.set(packId, pack)
    for (const [offerId, offer] of this.offers) model.offers.set(offerId, offer)
    for (const [packId, pack] of this.listed) model.listed.set(packId, pack)
    for (const marketId of this.sold) model.sold.add(marketId)
    model.houseCount = this.houseCount
    for (const [day, cost] of this.costs) model.costs.set(day, cost)
    return model
  }

  /** Whether a pack waits for the market. */
  waits(marketId: number): boolean {
    return [...this.packs.values()].some(({ legs }) =>
      legs.some((leg) => leg.marketId === marketId && leg.result === 'PENDING'),
    )
  }

  /** Gives what the command withdraws from the exchange. */
  admit(command: ControlCommand, elsewhere: Elsewhere): bigint {
    const { slow } = elsewhere
    this.touched = []
    this.plays = []
    this.#endListed(elsewhere)
    switch (command.kind) {
      case 'curatePack':
        this.#curate(command, elsewhere)
        return 0n
      case 'removeCuratedPack':
        assert(this.listed.delete(command.packId), 'a pack leaves the list once')
        return 0n
      case 'fundHouse':
        return this.#fund(BigInt(command.collateralRaw), slow)
      case 'createPack':
        this.#create(command, elsewhere)
        break
      case 'offerPack':
        this.#offer(command, elsewhere)
        break
      case 'acceptPackOffer':
        this.#accept(command, elsewhere)
        break
      case 'endPackOffers':
        for (const offerId of command.offerIds) this.#endOffer(offerId, command.nowMs, slow)
        break
      case 'countPacks':
        for (const { packId, paidRaw } of command.packs) {
          this.#count(packId, { marketId: command.marketId, paidRaw }, elsewhere)
        }
        break
      default:
        return 0n
    }
    this.#covers(slow)
    return 0n
  }

  /** The pack account holds what all packs and offers can cost; the house owes nothing. */
  #covers(slow: SlowExchange): void {
    let parked = 0n
    for (const { payout } of this.packs.values()) parked += payout
    for (const { payout, stakeMax } of this.offers.values()) parked += payout - stakeMax
    assert.equal(slow.cash(PACK_ACCOUNT).free, parked, 'packs and offers are covered')
    assert(slow.cash(HOUSE_ACCOUNT).free >= 0n, 'the house is solvent')
  }

  #move(slow: SlowExchange, account: number, amount: bigint): void {
    const cash = slow.cash(account)
    cash.free += amount
    assert(amount >= 0n || cash.free >= 0n, 'a pack takes what is free')
    this.touched = [...this.touched, account]
  }

  #fund(amount: bigint, slow: SlowExchange): bigint {
    this.touched = [HOUSE_ACCOUNT]
    if (amount > 0n) {
      slow.deposit(HOUSE_ACCOUNT, amount)
      return 0n
    }
    this.#move(slow, HOUSE_ACCOUNT, amount)
    this.plays = ['house pays out']
    return -amount
  }

  /** A pack is not listed any more once the result of a leg is known. */
  #endListed({ venue }: Elsewhere): void {
    for (const [packId, { legs }] of this.listed) {
      if (legs.every(({ marketId }) => venue.all[marketId - 1].payout === null)) continue
      this.listed.delete(packId)
      this.plays = [...this.plays, 'curated pack over']
    }
  }

  #curate({ name, legs, nowMs, seq }: Of<'curatePack'>, elsewhere: Elsewhere): void {
    this.#marketsAreFair(legs, nowMs, elsewhere)
    assert(!this.isListed(name), 'a curated pack has a name of its own')
    this.listed.set(seq, { name, legs })
  }

  isListed(name: string): boolean {
    return [...this.listed.values()].some((pack) => pack.name === name)
  }

  #legsAreFair(legs: readonly PackLeg[], nowMs: number, elsewhere: Elsewhere): void {
    this.#marketsAreFair(legs, nowMs, elsewhere)
    for (const { priceTicks } of legs) {
      assert(priceTicks >= 100 && priceTicks <= 900, 'a leg is neither sure nor hopeless')
    }
  }

  #marketsAreFair(legs: readonly CuratedLeg[], nowMs: number, { venue }: Elsewhere): void {
    assert(legs.length >= 2 && legs.length <= 5, 'a pack has two to five legs')
    for (const [at, { marketId }] of legs.entries()) {
      const market = venue.all[marketId - 1]
      assert(takesPacks(market) && isActive(market, nowMs), 'a leg is of an open market')
      for (const before of legs.slice(0, at)) {
        assert.notEqual(before.marketId, marketId, 'a market is one leg')
        assert(!areTied(venue, before.marketId, marketId), 'legs are not correlated')
      }
    }
  }

  #create(command: Of<'createPack'>, elsewhere: Elsewhere): void {
    const { profileId, stakeRaw, payoutRaw, legs, nowMs, seq } = command
    assert(!elsewhere.frozen.has(profileId), 'a frozen profile makes no pack')
    assert(stakeRaw >= 1e6 && stakeRaw <= 7e7, 'a stake on the house has bounds')
    this.#legsAreFair(legs, nowMs, elsewhere)
    const [stake, payout] = [BigInt(stakeRaw), BigInt(payoutRaw)]
    const prices = legs.map(({ priceTicks }) => priceTicks)
    const isEarned = payout <= paidFor(stake, prices) && payout <= stake * 20n
    assert(isEarned, 'the house pays no more than the prices give')
    this.#move(elsewhere.slow, profileId, -stake)
    this.#move(elsewhere.slow, HOUSE_ACCOUNT, stake - payout)
    this.#move(elsewhere.slow, PACK_ACCOUNT, payout)
    const day = dayOf(nowMs)
    assert.equal(command.day, day, 'a pack counts for its day')
    this.#add(seq, { owner: profileId, maker: 0, stake, payout, legs, day }, elsewhere)
    for (const { marketId } of legs) this.sold.add(marketId)
    this.houseCount++
    if (command.curatedId !== undefined) this.#isListedPack(command.curatedId, legs)
    const made = { owner: profileId, risk: 0n, legs, day }
    assert(this.houseBears(made, elsewhere.slow), 'one outcome and one profile cost a part at most')
  }

  #isListedPack(curatedId: number, legs: readonly PackLeg[]): void {
    const bought = legs.map(({ marketId, outcome }) => ({ marketId, outcome }))
    assert.deepEqual(bought, this.listed.get(curatedId)?.legs, 'the pack of the list is bought')
    this.plays = [...this.plays, 'curated pack bought']
  }

  /**
   * Whether the house may lose so much more to this owner by these legs: a twentieth of what it has
   * to one outcome, a tenth to one owner, and a tenth to all packs of the day.
   */
  houseBears({ owner, risk, legs, day }: Bet, slow: SlowExchange): boolean {
    const ofHouse = [...this.packs.values()].filter(({ maker }) => maker === 0)
    const riskOf = (which: (pack: PackModelEntry) => boolean) =>
      ofHouse.filter(which).reduce((sum, { stake, payout }) => sum + payout - stake, 0n)
    const { free } = slow.cash(HOUSE_ACCOUNT)
    const has = free + riskOf(() => true)
    const cost = this.costs.get(day) ?? 0n
    const loss = cost + riskOf((pack) => pack.day === day) + risk
    if (loss > 0n && loss > (has + cost) / 10n) return false
    const isOfOwner = (pack: PackModelEntry) => pack.owner === owner
    const areBorne = legs.every(({ marketId, outcome }) => {
      const needsIt = (pack: PackModelEntry) =>
        pack.legs.some((leg) => leg.marketId === marketId && leg.outcome === outcome)
      return (riskOf(needsIt) + risk) * 20n <= has
    })
    return risk <= free && (riskOf(isOfOwner) + risk) * 10n <= has && areBorne
  }

  #add(
    packId: number,
    pack: Omit<PackModelEntry, 'legs'> & { readonly legs: readonly PackLeg[] },
    { venue }: Elsewhere,
  ): void {
    const legs = pack.legs.map((leg) => ({ ...leg, result: 'PENDING' as const }))
    this.packs.set(packId, { ...pack, legs })
    const isOfGroup = legs.some(({ marketId }) => venue.all[marketId - 1].groupId !== 0)
    const isOfSlot = legs.some(({ marketId }) => venue.all[marketId - 1].slot !== null)
    this.plays = [
      ...(isOfGroup ? ['pack on a group'] : []),
      ...(isOfSlot ? ['pack on a slot'] : []),
      ...(legs.length > 2 ? ['pack of many legs'] : []),
    ]
  }

  #offer(command: Of<'offerPack'>, elsewhere: Elsewhere): void {
    const { profileId, stakeMaxRaw, payoutRaw, expiresMs, legs, nowMs, seq } = command
    assert(!elsewhere.frozen.has(profileId), 'a frozen profile offers nothing')
    this.#legsAreFair(legs, nowMs, elsewhere)
    const [stakeMax, payout] = [BigInt(stakeMaxRaw), BigInt(payoutRaw)]
    assert(stakeMax >= 1_000_000n && stakeMax <= 100_000_000n, 'a stake on a maker has bounds')
    assert(payout <= stakeMax * 20n, 'an offer pays 20 times its stake at most')
    assert.equal(expiresMs, nowMs + 60_000, 'an offer lives a minute')
    this.#move(elsewhere.slow, profileId, stakeMax - payout)
    this.#move(elsewhere.slow, PACK_ACCOUNT, payout - stakeMax)
    this.offers.set(seq, { maker: profileId, stakeMax, payout, expiresMs, legs })
  }

  #existing(offerId: number): OfferModel {
    const offer = this.offers.get(offerId)
    assert(offer !== undefined, 'an offer ends once')
    this.offers.delete(offerId)
    return offer
  }

  #accept(command: Of<'acceptPackOffer'>, elsewhere: Elsewhere): void {
    const { offerId, profileId, stakeRaw, payoutRaw, nowMs, seq } = command
    const { slow, venue, frozen } = elsewhere
    const { maker, stakeMax, payout: most, expiresMs, legs } = this.#existing(offerId)
    assert(!frozen.has(profileId) && maker !== profileId, 'another profile accepts an offer')
    assert(!frozen.has(maker), 'nobody accepts an offer of a frozen profile')
    assert(nowMs < expiresMs, 'an offer is accepted before its end')
    const areOpen = legs.every(({ marketId }) => isActive(venue.all[marketId - 1], nowMs))
    assert(areOpen, 'nobody accepts what is known')
    const stake = BigInt(stakeRaw)
    const payout = (most * stake) / stakeMax
    assert.equal(BigInt(payoutRaw), payout, 'a stake pays its part of the offer')
    assert(stake >= 1_000_000n && stake <= stakeMax, 'a stake is no more than was offered')
    assert(payout > stake, 'a stake wins something')
    this.#move(slow, profileId, -stake)
    this.#move(slow, maker, most - stakeMax - (payout - stake))
    this.#move(slow, PACK_ACCOUNT, payout - (most - stakeMax))
    this.#add(seq, { owner: profileId, maker, stake, payout, legs, day: 0 }, elsewhere)
    if (stake < stakeMax) this.plays = [...this.plays, 'offer accepted in part']
  }

  #endOffer(offerId: number, nowMs: number, slow: SlowExchange): void {
    const { maker, stakeMax, payout, expiresMs } = this.#existing(offerId)
    this.#move(slow, maker, payout - stakeMax)
    this.#move(slow, PACK_ACCOUNT, stakeMax - payout)
    this.plays = [...this.plays, nowMs < expiresMs ? 'offer taken back' : 'offer expired']
  }

  #count(
    packId: number,
    { marketId, paidRaw }: { readonly marketId: number; readonly paidRaw: number | null },
    { slow, venue, frozen }: Elsewhere,
  ): void {
    const pack = this.packs.get(packId)
    assert(pack !== undefined, 'a pack ends once')
    const { payout: parts } = venue.all[marketId - 1]
    assert(parts !== null, 'a resolved market counts')
    const isSplit = parts.every((part) => part > 0)
    const legs = pack.legs.map((leg) => {
      if (leg.marketId !== marketId) return leg
      assert.equal(leg.result, 'PENDING', 'a leg counts once')
      const result: Result = isSplit ? 'VOID' : parts[leg.outcome] > 0 ? 'WON' : 'LOST'
      return { ...leg, result }
    })
    if (isSplit) this.plays = [...this.plays, 'void leg']
    const paid = paidOf({ ...pack, legs })
    assert.equal(paidRaw === null ? null : BigInt(paidRaw), paid, 'what a pack pays')
    if (paid === null) {
      this.packs.set(packId, { ...pack, legs })
      return
    }
    this.packs.delete(packId)
    const { day, maker } = pack
    if (maker === 0) this.costs.set(day, (this.costs.get(day) ?? 0n) + paid - pack.stake)
    this.#move(slow, PACK_ACCOUNT, -pack.payout)
    this.#move(slow, pack.owner, paid)
    this.#move(slow, pack.maker === 0 ? HOUSE_ACCOUNT : pack.maker, pack.payout - paid)
    const end = paid === 0n ? 'lost' : 'won'
    const by = pack.maker === 0 ? 'the house' : 'a maker'
    const isFrozen = frozen.has(pack.owner) || frozen.has(pack.maker)
    const words = [`pack ${end} against ${by}`, ...(isFrozen ? ['pack ends while frozen'] : [])]
    const isRefund = legs.every(({ result }) => result === 'VOID')
    this.plays = [...this.plays, ...words, ...(isRefund ? ['pack refunded'] : [])]
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The UTC day of an instant, counted from 1970. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS)
}

/** Null while other legs decide. */
function paidOf({ stake, payout, legs }: PackModelEntry): bigint | null {
  const of = (wanted: Result) => legs.filter(({ result }) => result === wanted)
  if (of('LOST').length > 0) return 0n
  if (of('PENDING').length > 0) return null
  if (of('WON').length === 0) return stake
  if (of('VOID').length === 0) return payout
  const left = paidFor(
    stake,
    of('WON').map(({ priceTicks }) => priceTicks),
  )
  if (left > payout) return payout
  return left < stake ? stake : left
}
