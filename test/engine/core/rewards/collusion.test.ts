import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayPayOut } from '../../../../engine/core/decide/endings.ts'
import { redeemedOf } from '../../../../engine/core/decide/money/moves.ts'
import { creditedShares, rewardPayments } from '../../../../engine/core/decide/money/rewards.ts'
import { feeRatesOf, rebateRaw, referralRaw } from '../../../../engine/core/rewards/rebates.ts'
import { FEE_ACCOUNT } from '../../../../engine/domain/ids.ts'
import { SIDE } from '../../../../engine/domain/order.ts'
import type {
  Credit,
  ReferralCredit,
  ShareCredit,
} from '../../../../engine/domain/rewards/reward-command.ts'
import { dayOf, minuteOf } from '../../../../engine/domain/rewards/reward-time.ts'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import { ExchangeDriver, type Placed } from '../../../support/exchange-driver.ts'
import { freshSeed, Random } from '../../../support/random.ts'

// Makers, takers and those who refer trade among themselves, in sets that share their money. Over
// every payout no set has more than it brought (rules §3.2), however rich the fee account is: other
// sets and older times filled it.

const UNIT = 1_000_000
const SETS = 3
const MEMBERS = 3
const FUNDS_RAW = 10_000_000 * UNIT
const ROUNDS = 25
const TRADES = 30
const PAYOUTS = [
  [1, 0],
  [0, 1],
  [1, 1],
  [2, 5],
] as const

interface Wanted {
  readonly side: number
  readonly outcome: number
  readonly priceTicks: number
}

class Play {
  readonly driver = new ExchangeDriver(256)
  readonly sets: readonly (readonly number[])[]
  readonly #random: Random
  readonly #rates: ReturnType<typeof feeRatesOf>
  readonly #marketId: number
  /** Who referred whom, within a set. */
  readonly #referrers = new Map<number, number>()
  #height = 0
  readonly #rows: Credit[] = []
  readonly #referrals: ReferralCredit[] = []
  readonly #shares: ShareCredit[] = []

  constructor(random: Random) {
    this.#random = random
    const { driver } = this
    // The rates as they are set, which may be more than the whole fee.
    const set = [random.pick([0, 2500, 10_000]), random.pick([0, 2000, 10_000])] as const
    this.#rates = feeRatesOf(...set)
    this.sets = Array.from({ length: SETS }, () => this.#newSet())
    this.#fillFees()
    this.#marketId = driver.addMarket({ feeEnabled: true, rebateBps: set[0] })
    for (let trade = 0; trade < TRADES; trade++) this.#trade(random.pick(this.sets))
  }

  #newSet(): number[] {
    const members = Array.from({ length: MEMBERS }, () => {
      return this.driver.addAccount(FUNDS_RAW, {
        rank: { id: 1, name: 'Bronze', feeRateBps: this.#random.pick([30, 300, 1000]) },
      })
    })
    for (const member of members.slice(1)) {
      const elder = members.filter((each) => each < member)
      if (this.#random.chance(0.8)) this.#referrers.set(member, this.#random.pick(elder))
    }
    return members
  }

  /** Two others pay a fee of 100,000 in collateral. */
  #fillFees(): void {
    const { driver } = this
    const marketId = driver.addMarket({ feeEnabled: true })
    const [ann, ben] = [driver.addAccount(FUNDS_RAW), driver.addAccount(FUNDS_RAW)]
    driver.mint(marketId, 8_000_000 * UNIT, { yes: ann, no: ben, taker: ben })
    const wanted = { marketId, outcome: 0, priceTicks: 500, sizeRaw: 7_000_000 * UNIT }
    driver.place({ ...wanted, account: ben, side: SIDE.BUY, type: 'GTC' })
    driver.place({ ...wanted, account: ann, side: SIDE.SELL, type: 'FAK' })
    assert.ok(driver.freeRaw(FEE_ACCOUNT) >= 100_000 * UNIT)
  }

  /** Some makers of a set rest, a taker of it takes, and what is left goes. */
  #trade(members: readonly number[]): void {
    const { driver } = this
    const random = this.#random
    const { maker, taker } = this.#requests()
    const takes = random.pick(members)
    const others = members.filter((each) => each !== takes)
    const makers = Array.from({ length: random.between(1, 3) }, () => {
      const order = { ...maker, account: random.pick(others), sizeRaw: this.#size() }
      return { account: order.account, placed: this.#place(order, 'GTC') }
    })
    const taken = this.#place({ ...taker, account: takes, sizeRaw: this.#size() }, 'FAK')
    if (taken !== null && taken.filledRaw > 0) this.#note(takes, taker, taken)
    for (const { account, placed } of makers) if (placed !== null) driver.cancel(account, placed)
  }

  #size(): number {
    return 1000 * this.#random.between(1, this.#random.pick([10, 1000, 100_000]))
  }

  /** The orders of a maker and a taker that cross. */
  #requests(): { maker: Wanted; taker: Wanted } {
    const random = this.#random
    const [side, outcome] = [random.below(2), random.below(2)]
    const priceTicks = random.between(1, 999)
    const sameOutcome = random.chance(0.5)
    return {
      taker: { side, outcome, priceTicks },
      maker: {
        side: sameOutcome ? 1 - side : side,
        outcome: sameOutcome ? outcome : 1 - outcome,
        priceTicks: sameOutcome ? priceTicks : 1000 - priceTicks,
      },
    }
  }

  /** Null for an order that its account cannot cover. */
  #place(order: Wanted & { account: number; sizeRaw: number }, type: 'GTC' | 'FAK'): Placed | null {
    const placed = this.driver.place({ ...order, marketId: this.#marketId, type })
    return placed.refused === null ? placed : null
  }

  /** What the sample will give for the trade. */
  #note(takerId: number, { side, outcome }: Wanted, { feeRaw, filledRaw, makers }: Placed): void {
    const fee = { sharesRaw: filledRaw, feeRaw }
    const marketId = this.#marketId
    for (const { account, sizeRaw } of makers) {
      const raw = rebateRaw(fee, sizeRaw, this.#rates)
      if (raw === 0) continue
      if (side === SIDE.BUY) this.#shares.push([account, marketId, outcome, raw, 0])
      else this.#rows.push([account, marketId, 0, raw])
    }
    const referrer = this.#referrers.get(takerId)
    const part = referralRaw(fee, this.#rates)
    if (referrer === undefined || part === 0) return
    if (side === SIDE.BUY) this.#shares.push([referrer, marketId, outcome, part, takerId])
    else this.#referrals.push([referrer, takerId, part])
  }

  #credit(): void {
    const { driver } = this
    const minute = minuteOf(driver.nowMs)
    driver.control({ kind: 'rewardMinute', minute })
    const found = creditedShares(driver.clearing, this.#shares)
    driver.control({
      kind: 'creditRewards',
      minute,
      part: 0,
      isLast: true,
      rows: [...this.#rows, ...found.rows],
      referrals: [...this.#referrals, ...found.referrals],
      shares: found.shares,
    })
  }

  /** Ends everything at this payout: what each set has more than it brought. */
  gains(payoutNumerators: readonly [number, number]): number[] {
    const { driver } = this
    const { clearing } = driver
    const marketId = this.#marketId
    const market = clearing.catalogue.existing(marketId)
    const mine = () => {
      const throughSeq = clearing.lastSeq
      driver.control({ kind: 'mineBlock', height: ++this.#height, throughSeq, chainId: 1 })
    }
    mine()
    const isLate = this.#random.chance(0.3)
    if (!isLate) this.#credit()
    driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
    mine()
    assert.ok(mayPayOut(clearing, market))
    driver.control({ kind: 'postPayouts', marketIds: [marketId] })
    if (isLate) this.#credit()
    this.#redeemAll(marketId)
    driver.nowMs += DAY_MS
    this.#pay()
    driver.holds()
    return this.sets.map((members) => {
      return members.reduce((sum, member) => sum + driver.freeRaw(member), -MEMBERS * FUNDS_RAW)
    })
  }

  #redeemAll(marketId: number): void {
    const { clearing } = this.driver
    const market = clearing.catalogue.existing(marketId)
    for (let row = 1; row < clearing.ledger.rows.end; row++) {
      if (clearing.ledger.rows.marketOf(row) !== marketId) continue
      const position = redeemedOf(clearing, market, row)
      if (position === null) continue
      this.driver.control({ kind: 'redeemPositions', marketId, positions: [position] })
    }
  }

  /** Everything that is owed is paid: parts are never more than the fees. */
  #pay(): void {
    const { driver } = this
    const { rewards } = driver.clearing
    const pay = { kind: 'payRewards', day: dayOf(driver.nowMs) - 1, merges: [] } as const
    driver.control({ ...pay, isLast: false, rows: [] })
    const rows = rewardPayments(driver.clearing, { ...rewards.due.totals }, rewards.due.accounts())
    driver.control({ ...pay, isLast: true, rows })
    assert.equal(rewards.due.size + rewards.today.size, 0, 'the fees pay every part of them')
    assert.ok(
      driver.freeRaw(FEE_ACCOUNT) >= 100_000 * UNIT,
      'no part was paid by the fees of others',
    )
  }
}

test('no set of accounts gains by trading among themselves, over every payout', () => {
  const random = new Random(freshSeed())
  let credited = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (const payout of PAYOUTS) {
      const play = new Play(random)
      const gains = play.gains(payout)
      for (const gain of gains) assert.ok(gain <= 0, `a set gains ${gain} at ${payout}`)
      if (gains.some((gain) => gain < 0)) credited++
    }
  }
  assert.ok(credited > ROUNDS, 'fees were paid')
})
