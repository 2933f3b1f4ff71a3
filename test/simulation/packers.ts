// What profiles of a simulated world do with packs: they ask for quotes and stake on them, now and
// then twice, make offers, accept those of others and take their own back, and buy what operators
// curate. Operators curate packs, fund the house and resolve what packs wait for.

import assert from 'node:assert/strict'
import type { PackReason } from '../../engine/core/decide/money/pack-price.ts'
import { type AskLevel, windowOf } from '../../engine/core/packs/pack-odds.ts'
import { HOUSE_ACCOUNT } from '../../engine/domain/ids.ts'
import { Reject, type RejectName } from '../../engine/domain/reject-precedence.ts'
import { allSteps } from '../../server/api/packs/pack-books.ts'
import {
  asksOf,
  type Ineligible,
  type PackDesk,
  type PackRequest,
  type Quote,
  type RequestedLeg,
} from '../../server/api/packs/packs.ts'
import type { Life } from './life.ts'
import type { Operators } from './operators.ts'
import { depthOf } from './pack-depth.ts'
import { areTied, dayOf, isActive, paidFor, takesPacks } from './pack-model.ts'
import type { Step } from './script.ts'

/** The quotes of a world that may be used again, whatever crashed meanwhile. */
const QUOTED_MAX = 40
const SHARE = 1_000_000
/** Names of curated packs; the list has one pack of a name. */
const NAMES = 8
const YES = [1, 0] as const
const NO = [0, 1] as const
const SPLIT = [1, 1] as const

/** A pack that was quoted, as its client keeps it. */
export interface Quoted {
  readonly profileId: number
  readonly stakeRaw: number
  readonly legs: readonly { readonly marketId: number; readonly outcome: number }[]
  readonly quoteId: string
  readonly payoutRaw: number
  readonly expiresMs: number
  /** Who gave it. */
  readonly desk: PackDesk
  /** The orders that priced it, and how many legs the house had sold. */
  readonly asks: string
  /** The pack that it became; 0 while no client received it. */
  packId: number
}

/** Why each refusal is right, by the model alone. */
type Reasons = Readonly<Partial<Record<RejectName, boolean>>>
type Issues = Readonly<Partial<Record<PackReason, boolean>>>

export class Packers {
  readonly #life: Life
  readonly #operators: Operators
  readonly #quoted: Quoted[]

  constructor(life: Life, operators: Operators, quoted: Quoted[]) {
    this.#life = life
    this.#operators = operators
    this.#quoted = quoted
  }

  /** False when the act is none of packs. */
  play(step: Step): boolean {
    switch (step.act) {
      case 'house':
      case 'pack':
      case 'packAgain':
      case 'offer':
      case 'take':
      case 'recall':
      case 'settle':
      case 'curate':
      case 'delist':
      case 'buy':
        this[step.act](step)
        return true
      default:
        return false
    }
  }

  #account(dice: number): number {
    return 1 + Math.floor(dice * this.#life.pipeline.clearing.accounts.count)
  }

  /** Two legs or more of markets of one floor, mostly of such that have asks in the range. */
  #wanted({ dice }: Step, most: number): PackRequest {
    const { published } = this.#life
    const round = Math.floor(dice[1] * 7919)
    const able = published.all().flatMap((market): RequestedLeg[] => {
      return [0, 1].flatMap((outcome) => {
        const best = windowOf(asksOf(market, outcome)).at(0)
        // Now and then a market is taken that has no price, or is over.
        return best !== undefined || (round + market.market.marketId) % 97 === 0
          ? [{ market, outcome }]
          : []
      })
    })
    const legs: RequestedLeg[] = []
    const wanted = round % 4 === 0 ? 3 : 2
    // Few slots have orders, so a third of the packs look for one first.
    const slot =
      round % 3 === 0 ? able.findIndex(({ market }) => market?.market.slot !== undefined) : -1
    const from = slot === -1 ? round : slot
    for (let at = from; legs.length < wanted && at < from + able.length; at++) {
      const leg = able[at % able.length]
      const isTwice = legs.some(({ market }) => market === leg.market)
      if (!isTwice || round % 53 === 0) legs.push(leg)
    }
    return { legs, stakeRaw: SHARE + Math.floor(dice[0] ** 2 * (most - SHARE)) }
  }

  #depths({ legs }: PackRequest, buyer: number) {
    const { clearing } = this.#life.pipeline
    return legs.map(({ market, outcome }) => {
      const marketId = market?.market.marketId ?? 0
      return depthOf(clearing, { marketId, outcome }, buyer)
    })
  }

  #asks(wanted: PackRequest, buyer: number): string {
    return JSON.stringify([this.#depths(wanted, buyer), this.#life.model.packs.houseCount])
  }

  house({ dice }: Step): void {
    const { model } = this.#life
    const { free } = model.slow.cash(HOUSE_ACCOUNT)
    const isOut = dice[0] < 0.25
    const amount = isOut ? -(1 + Math.floor(dice[1] * 1.1 * Number(free))) : 10 ** (7 + dice[1] * 3)
    const collateralRaw = Math.floor(amount)
    const isShort = BigInt(-collateralRaw) > free
    this.#refusedFor(this.#life.packs.changeHouse({ collateralRaw }, 'root'), {
      INSUFFICIENT_COLLATERAL: isShort,
      BALANCE_LIMIT: true,
    })
  }

  /** Requests a quote, and stakes on it as soon as it arrives. */
  pack(step: Step): void {
    const profileId = this.#account(step.dice[0])
    const wanted = this.#wanted(step, 70 * SHARE)
    const asks = this.#asks(wanted, profileId)
    const quoting = allSteps(this.#life.packs.quoting(wanted, profileId))
    this.#issuesAre({ issues: this.#issuesOf(wanted, profileId, 'quote') }, wanted, quoting)
    this.#life.reportsLater(quoting)
    // The stake comes a tick after the quote; there is no rest before.
    this.#life.opening++
    const staked = quoting.then(({ quoteId, payoutRaw, expiresMs }) => {
      this.#life.opening--
      if (quoteId === null) return
      const legs = wanted.legs.map(({ market, outcome }) => {
        return { marketId: market?.market.marketId ?? 0, outcome }
      })
      const { stakeRaw } = wanted
      const promised = { quoteId, payoutRaw, expiresMs, desk: this.#life.packs }
      const quote = { profileId, stakeRaw, legs, ...promised, asks, packId: 0 }
      this.#quoted.push(quote)
      if (this.#quoted.length > QUOTED_MAX) this.#quoted.shift()
      // Some stake later, by another act.
      if (step.dice[1] < 0.8) this.#stake(quote)
    })
    this.#life.follow(staked)
  }

  packAgain({ dice }: Step): void {
    const quote = this.#quoted[Math.floor(dice[0] * this.#quoted.length)]
    if (quote !== undefined) this.#stake(quote)
  }

  #stake(quote: Quoted): void {
    const { pipeline, model, published, packs } = this.#life
    const { profileId, stakeRaw, quoteId, legs, expiresMs, asks } = quote
    const wanted = {
      legs: legs.map(({ marketId, outcome }) => ({ market: published.byId(marketId), outcome })),
      stakeRaw,
    }
    // A crash may have taken books back that nobody could rely on.
    if (wanted.legs.some(({ market }) => market === undefined)) return
    const issues = this.#issuesOf(wanted, profileId, 'stake')
    // A start ends the quotes of before.
    const isOver = expiresMs <= pipeline.sequencer.nowMs() || quote.desk !== packs
    const reasons = {
      PROFILE_FROZEN: model.controls.frozen.has(profileId),
      QUOTE_EXPIRED: isOver,
      // Once its call is forgotten, a quote that is over may have made a pack.
      QUOTE_USED: isOver && quote.packId !== 0,
      QUOTE_CHANGED: this.#asks(wanted, profileId) !== asks,
    }
    allSteps(packs.reading(wanted.legs))
    const answer = packs.create(askBy(profileId), wanted, quoteId)
    this.#life.reportsLater(answer)
    const compare = (result: Awaited<typeof answer>) => {
      if (typeof result === 'number') {
        assert(quote.packId === 0 || quote.packId === result, 'a quote makes one pack')
        quote.packId = result
        return
      }
      if (result instanceof Reject) this.#isFair(result, reasons)
      else this.#areFair(result, issues)
    }
    this.#life.follow(answer.then(compare))
  }

  offer(step: Step): void {
    const { model, packs } = this.#life
    const maker = this.#account(step.dice[0])
    const wanted = this.#wanted(step, 100 * SHARE)
    const payoutRaw = wanted.stakeRaw + 1 + Math.floor(step.dice[1] * 20 * wanted.stakeRaw)
    const ofHouse = { INSUFFICIENT_DEPTH: false, MULTIPLIER_TOO_LOW: false, HOUSE_CAPACITY: false }
    const isTooHigh = payoutRaw > wanted.stakeRaw * 20
    const issues = {
      ...this.#issuesOf(wanted, maker, 'offer'),
      ...ofHouse,
      MULTIPLIER_TOO_HIGH: isTooHigh,
    }
    const isShort = model.slow.cash(maker).free < BigInt(payoutRaw - wanted.stakeRaw)
    const reasons = {
      PROFILE_FROZEN: model.controls.frozen.has(maker),
      INSUFFICIENT_COLLATERAL: isShort,
      OFFER_LIMIT: [...model.packs.offers.values()].length >= 20,
    }
    this.#refusedFor(packs.offer(maker, wanted, payoutRaw), reasons, issues)
  }

  /** Accepts an offer, all or a part of it; now and then an own one, or for too much. */
  take({ dice }: Step): void {
    const { model, packs, pipeline } = this.#life
    const offers = [...model.packs.offers]
    const found = offers[Math.floor(dice[1] * offers.length)]
    if (found === undefined) return
    const [offerId, { maker, stakeMax, expiresMs, legs }] = found
    const profileId = this.#account(dice[0])
    const stakeRaw = Math.min(Number(stakeMax), SHARE + Math.floor(dice[0] * 102 * SHARE))
    const nowMs = pipeline.sequencer.nowMs()
    const isOpen = legs.every(({ marketId }) => isActive(model.markets[marketId - 1], nowMs))
    const isRestricted = model.controls.modeAt(nowMs) !== 'normal'
    const reasons = {
      PROFILE_FROZEN: model.controls.frozen.has(profileId),
      TRADING_DISABLED: isRestricted,
      CANCEL_ONLY_MODE: isRestricted,
      POST_ONLY_MODE: isRestricted,
      OFFER_NOT_FOUND: !isOpen || expiresMs <= nowMs || model.controls.frozen.has(maker),
      OWN_OFFER: maker === profileId,
      INSUFFICIENT_COLLATERAL: model.slow.cash(profileId).free < BigInt(stakeRaw),
    }
    this.#refusedFor(packs.accept(askBy(profileId), offerId, stakeRaw), reasons)
  }

  /** Takes an offer back, now and then one of another maker. */
  recall({ dice }: Step): void {
    const { model, packs } = this.#life
    const offers = [...model.packs.offers]
    const found = offers[Math.floor(dice[1] * offers.length)]
    if (found === undefined) return
    const [offerId, { maker }] = found
    const by = dice[0] < 0.9 ? maker : this.#account(dice[1])
    this.#refusedFor(packs.endOffer(offerId, by), { OFFER_NOT_FOUND: by !== maker })
  }

  /**
   * Resolves a market that a pack waits for: mostly its leg wins, else it is void or loses. Another
   * market opens in its place.
   */
  settle({ dice }: Step): void {
    const { model, published, changes } = this.#life
    const legs = [...model.packs.packs.values()].flatMap((pack) => {
      return pack.legs.filter(({ result, marketId }) => {
        const { groupId, slot } = model.markets[marketId - 1]
        return result === 'PENDING' && groupId === 0 && slot === null
      })
    })
    const leg = legs[Math.floor(dice[0] * legs.length)]
    const market = leg && published.byId(leg.marketId)
    if (market === undefined) return
    const [wins, loses] = leg.outcome === 0 ? [YES, NO] : [NO, YES]
    const payout = dice[1] < 0.4 ? wins : dice[1] < 0.9 ? SPLIT : loses
    this.#life.reportsLater(changes.resolve(market, payout))
    this.#operators.open({ act: 'open', row: 0, dice })
  }

  /** An operator puts a pack on the list, if its markets may be there. */
  curate(step: Step): void {
    const { model, curation } = this.#life
    const wanted = this.#wanted(step, SHARE)
    // The route takes two legs at least.
    if (wanted.legs.length < 2) return
    const name = `Pack ${Math.floor(step.dice[0] * NAMES)}`
    const issues = this.#issuesOf(wanted, 1, 'offer')
    const reasons = { CURATED_NAME_TAKEN: model.packs.isListed(name) }
    this.#refusedFor(curation.put({ name, legs: wanted.legs }, 'root'), reasons, issues)
  }

  #listed(dice: number): number | undefined {
    const ids = [...this.#life.model.packs.listed.keys()]
    return ids[Math.floor(dice * ids.length)]
  }

  delist({ dice }: Step): void {
    const packId = this.#listed(dice[0])
    if (packId !== undefined) this.#refusedFor(this.#life.curation.remove(packId, 'root'), {})
  }

  /** Buys a pack of the list, now and then for more than it can pay or when it is too late. */
  buy({ dice }: Step): void {
    const { model, packs, pipeline } = this.#life
    const curatedId = this.#listed(dice[1])
    if (curatedId === undefined) return
    const profileId = this.#account(dice[0])
    const legs = packs.listedLegs(curatedId)
    // A crash may have taken books back that nobody could rely on.
    if (legs.some(({ market }) => market === undefined)) return
    const stakeRaw = SHARE + Math.floor(dice[0] ** 2 * 69 * SHARE)
    const nowMs = pipeline.sequencer.nowMs()
    const round = Math.floor(dice[1] * 7919)
    const payoutMinRaw = round % 13 === 0 ? stakeRaw * 20 : 1
    const deadlineMs = nowMs + (round % 17 === 0 ? 0 : 1000)
    const issues = this.#issuesOf({ legs, stakeRaw }, profileId, 'stake')
    const reasons = {
      PROFILE_FROZEN: model.controls.frozen.has(profileId),
      INTENT_EXPIRED: deadlineMs <= nowMs,
    }
    const key = `buy ${dice.join()}`
    allSteps(packs.reading(legs))
    const purchase = { curatedId, stakeRaw, payoutMinRaw, deadlineMs }
    const answer = packs.buy(askBy(profileId, key), purchase, ['buy', key])
    this.#life.reportsLater(answer)
    const compare = (result: Awaited<typeof answer>) => {
      if (typeof result === 'number') {
        const payout = model.packs.packs.get(result)?.payout ?? BigInt(payoutMinRaw)
        assert(deadlineMs > nowMs && payout >= payoutMinRaw, 'a pack keeps the terms of its buyer')
      } else if (result instanceof Reject) this.#isFair(result, reasons)
      else if ('issues' in result) this.#areFair(result, issues)
      else assert(result.payoutRaw < payoutMinRaw, 'a pack that pays enough is sold')
    }
    this.#life.follow(answer.then(compare))
  }

  /** The answer may be a refusal for one of the reasons, or name some of the issues. */
  #refusedFor(answer: Promise<Answer>, reasons: Reasons, issues: Issues = {}): void {
    this.#life.reportsLater(answer)
    const compare = (result: Answer) => {
      if (result instanceof Reject) this.#isFair(result, reasons)
      else if (isIneligible(result)) this.#areFair(result, issues)
    }
    this.#life.follow(answer.then(compare))
  }

  #isFair({ name }: Reject, reasons: Reasons): void {
    if (name === 'OVERLOADED') return
    assert(reasons[name] === true, `the model knows no reason for ${name} to a pack`)
  }

  #areFair({ issues }: Ineligible, known: Issues): void {
    assert(issues.length > 0, 'a pack that cannot be made has a reason')
    for (const { code } of issues) {
      assert(known[code] === true, `the model knows no reason for ${code} of a pack`)
    }
  }

  /** A quote names what is wrong, and nothing else. */
  #issuesAre(
    known: { readonly issues: Issues },
    wanted: PackRequest,
    quoting: Promise<Quote>,
  ): void {
    const compare = ({ issues, payoutRaw, legs }: Quote) => {
      if (issues.length > 0) {
        this.#areFair({ issues }, known.issues)
        return
      }
      assert.deepEqual(this.#certain(known.issues, wanted), [], 'a quote names all that is wrong')
      const prices = legs.map(({ priceTicks }) => priceTicks)
      assert.equal(BigInt(payoutRaw), paidFor(BigInt(wanted.stakeRaw), prices), 'what a quote pays')
    }
    this.#life.follow(quoting.then(compare))
  }

  /** Both sides of each leg: the public asks price an offer, and orders of others the house. */
  #booksOf(wanted: PackRequest, owner: number, what: What) {
    if (what !== 'offer') return this.#depths(wanted, owner)
    return wanted.legs.map(({ market, outcome }) => {
      return { asks: market === undefined ? [] : asksOf(market, outcome), bids: [] }
    })
  }

  /** All that the model holds against a pack at this moment. */
  #issuesOf(wanted: PackRequest, owner: number, what: What): Issues {
    const { legs, stakeRaw } = wanted
    const { model, pipeline } = this.#life
    const nowMs = pipeline.sequencer.nowMs()
    const ids = legs.map(({ market }) => market?.market.marketId ?? 0)
    const pairs = ids.flatMap((one, at) => ids.slice(0, at).map((other) => [one, other] as const))
    const markets = ids.map((marketId) => model.markets[marketId - 1])
    const books = this.#booksOf(wanted, owner, what)
    const shown = this.#booksOf(wanted, owner, 'offer')
    const hasBids = ({ bids }: (typeof books)[number]) => what === 'offer' || bids.length > 0
    const usable = books.map((book) =>
      hasBids(book) ? book.asks.filter(({ ticks }) => ticks >= 100 && ticks <= 900) : [],
    )
    const bests = usable.map((asks) => asks.at(0)?.ticks ?? 0)
    // What priced packs before is used up, so a leg may have less than rests.
    const mayBeUsed = what !== 'offer' && ids.some((marketId) => model.packs.sold.has(marketId))
    const lacksPrice = (far: (ticks: number) => boolean) =>
      shown.some(({ asks }, at) => {
        return (bests[at] === 0 || mayBeUsed) && asks.some(({ ticks }) => far(ticks))
      })
    const isPriced = bests.length > 0 && !bests.includes(0)
    const need = isPriced ? paidFor(BigInt(stakeRaw), bests) : 0n
    const holds = (levels: readonly AskLevel[], isNear: (ticks: number) => boolean) =>
      levels.reduce((sum, { ticks, sizeRaw }) => sum + (isNear(ticks) ? BigInt(sizeRaw) : 0n), 0n)
    const isThin = books.some(({ bids }, at) => {
      const isShort = holds(usable[at], (ticks) => ticks <= bests[at] + 100) < need
      return isShort || holds(bids, (ticks) => ticks >= bests[at] - 100) < need
    })
    const risk = need - BigInt(stakeRaw)
    const ofHouse = ids.map((marketId, at) => ({ ...legs[at], marketId }))
    const bet = { owner, risk, legs: ofHouse, day: dayOf(nowMs) }
    return {
      TOO_FEW_LEGS: ids.length < 2,
      DUPLICATE_MARKET: pairs.some(([one, other]) => one === other),
      CORRELATED_LEGS: pairs.some(([one, other]) => {
        return one !== other && areTied(model.venue, one, other)
      }),
      MARKET_NOT_FOUND: markets.some(({ isArchived }) => isArchived),
      MARKET_NOT_ACTIVE: markets.some((market) => !isActive(market, nowMs)),
      MARKET_NOT_ELIGIBLE: markets.some((market) => !takesPacks(market)),
      NO_LIQUIDITY: bests.includes(0) || mayBeUsed,
      LEG_PRICE_TOO_LOW: lacksPrice((ticks) => ticks < 100),
      LEG_PRICE_TOO_HIGH: lacksPrice((ticks) => ticks > 900),
      INSUFFICIENT_DEPTH: isThin || mayBeUsed,
      MULTIPLIER_TOO_HIGH: isPriced && need >= BigInt(stakeRaw) * 20n,
      // The prices of deep windows are higher than the best, so this may be so without the best.
      MULTIPLIER_TOO_LOW: isPriced,
      HOUSE_CAPACITY: isPriced && !model.packs.houseBears(bet, model.slow),
      INSUFFICIENT_BALANCE: what === 'stake' && model.slow.cash(owner).free < BigInt(stakeRaw),
      TRADING_RESTRICTED: model.controls.modeAt(nowMs) !== 'normal',
    }
  }

  /** The reasons of the model that a quote without issues refutes, but for what rests on use. */
  #certain(known: Issues, { legs }: PackRequest): string[] {
    const { sold } = this.#life.model.packs
    const mayBeUsed = legs.some(({ market }) => sold.has(market?.market.marketId ?? 0))
    const isCertain = (code: string) =>
      !ABOUT_PRICE.has(code) && !(mayBeUsed && ABOUT_DEPTH.has(code))
    const wrong = Object.entries(known).filter(([code, isWrong]) => isWrong && isCertain(code))
    return wrong.map(([code]) => code)
  }
}

/** What becomes of a call: a pack, an offer, nothing to report, or why not. */
type Answer = object | number | null

function isIneligible(answer: Answer): answer is Ineligible {
  return typeof answer === 'object' && answer !== null && 'issues' in answer
}

/** A call of a profile for itself. */
function askBy(profileId: number, idempotencyKey?: string) {
  return { owner: profileId, callerId: profileId, idempotencyKey, signature: '' }
}

/** Whether a pack is quoted, staked on or offered. */
type What = 'quote' | 'stake' | 'offer'

/** Reasons that may rest on orders that priced packs before. */
const ABOUT_DEPTH: ReadonlySet<string> = new Set([
  'NO_LIQUIDITY',
  'LEG_PRICE_TOO_LOW',
  'LEG_PRICE_TOO_HIGH',
  'INSUFFICIENT_DEPTH',
])

/** Reasons that rest on the best asks alone, which the average of a window may undo. */
const ABOUT_PRICE: ReadonlySet<string> = new Set([
  'MULTIPLIER_TOO_HIGH',
  'MULTIPLIER_TOO_LOW',
  'HOUSE_CAPACITY',
])
