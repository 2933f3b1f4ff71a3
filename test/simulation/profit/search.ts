import assert from 'node:assert/strict'
import { textAt } from '../../support/json-path.ts'
import { type LiveExchange, startLive } from '../../support/live-exchange.ts'
import { Random } from '../../support/random.ts'
import {
  changedPlan,
  type Plan,
  randomPlan,
  randomWaits,
  shorterPlans,
  textOf,
  withWaits,
} from './plan.ts'
import { type Gain, playRound } from './round.ts'
import { done, UNIT } from './table.ts'

// Searches for a plan that gains: random plans, and changes of the best plans so far. A plan that
// gains on average is a fault of a rule, since nobody but an honest maker at fair prices trades
// with the colluders.

export interface Found {
  readonly plan: Plan
  readonly gain: Gain
}

/** What rounding may give; a plan has ten acts at most. */
export const TOLERANCE_RAW = 1000
const KEPT_MAX = 12
const NEW_PART = 0.4

export class Search {
  readonly #live: LiveExchange
  readonly #random: Random
  /** The best plans so far, best first. */
  #kept: Found[] = []

  constructor(live: LiveExchange, random: Random) {
    this.#live = live
    this.#random = random
  }

  #next(): Plan {
    const isNew = this.#kept.length === 0 || this.#random.chance(NEW_PART)
    return isNew
      ? randomPlan(this.#random)
      : changedPlan(this.#random.pick(this.#kept).plan, this.#random)
  }

  /** Plays so many plans; gives one that gains, made as short as it can be, or null. */
  async round(count: number): Promise<Found | null> {
    const waitsMs = randomWaits(this.#random)
    const plans = Array.from({ length: count }, () => withWaits(this.#next(), waitsMs))
    const gains = await playRound(this.#live, plans)
    const played = plans.map((plan, at) => ({ plan, gain: gains[at] }))
    // Plans that do nothing neither gain nor lose: there is nothing to learn from them.
    const acted = played.filter(({ gain }) => gain.eachRaw.some((raw) => raw !== 0))
    this.#kept = [...this.#kept, ...acted].sort(byGain).slice(0, KEPT_MAX)
    const [best] = [...played].sort(byGain)
    return best.gain.meanRaw > TOLERANCE_RAW ? this.#shortened(best) : null
  }

  async #shortened(found: Found): Promise<Found> {
    const shorter = shorterPlans(found.plan)
    if (shorter.length === 0) return found
    const gains = await playRound(this.#live, shorter)
    const still = shorter
      .map((plan, at) => ({ plan, gain: gains[at] }))
      .filter(({ gain }) => gain.meanRaw > TOLERANCE_RAW)
      .sort(byGain)
    return still.length === 0 ? found : this.#shortened(still[0])
  }
}

function byGain(a: Found, b: Found): number {
  return b.gain.meanRaw - a.gain.meanRaw
}

export function reportOf({ plan, gain }: Found): string {
  const each = gain.eachRaw.map((raw) => (raw / 1e6).toFixed(3)).join(', ')
  return `a plan gains ${(gain.meanRaw / 1e6).toFixed(6)} on average (${each}):\n${textOf(plan)}`
}

const HOUSE_RAW = 1_000_000 * UNIT
const FEES_OF_RAW = 1_000_000 * UNIT

/** An exchange with every rule that pays somebody. */
export async function openForProfit(): Promise<LiveExchange> {
  const flags = ['--block-ms', '2000', '--referral-bps', '2000']
  const live = await startLive({ stepwise: true, isQuiescent: true, flags })
  done(await live.admin('/admin/house', { collateralRaw: HOUSE_RAW }))
  await payFees(live)
  return live
}

/** Two honest traders leave the exchange fees in collateral, out of which it pays what it owes. */
async function payFees(live: LiveExchange): Promise<void> {
  const market = await live.openMarket('honest', { fee: true })
  const [buyer, seller] = [await live.trader(FEES_OF_RAW), await live.trader(FEES_OF_RAW)]
  const { body } = done(await live.send('GET', '/markets/honest'))
  const split = { conditionId: textAt(body, 'conditionId'), amount: String(FEES_OF_RAW) }
  done(await live.call(seller, 'POST', '/portfolio/split', split))
  const terms = { ticks: 500, sizeRaw: FEES_OF_RAW } as const
  done(await live.place(buyer, market, terms))
  done(await live.place(seller, market, { ...terms, side: 'sell' }, { orderType: 'FAK' }))
}

const PLANS_PER_ROUND = 8
/** A fresh exchange after so many rounds: each round leaves profiles behind. */
const ROUNDS_PER_EXCHANGE = 50

/** Searches until a plan gains; `onRound` gets the number of plans so far. */
export async function searchOn(seed: number, onRound: (plans: number) => void): Promise<Found> {
  const random = new Random(seed)
  for (let plans = 0; ; ) {
    const live = await openForProfit()
    const search = new Search(live, random)
    for (let round = 0; round < ROUNDS_PER_EXCHANGE; round++) {
      const found = await search.round(PLANS_PER_ROUND)
      if (found !== null) return found
      assert.deepEqual(live.faults, [])
      plans += PLANS_PER_ROUND
      onRound(plans)
    }
    await live.stop()
  }
}
