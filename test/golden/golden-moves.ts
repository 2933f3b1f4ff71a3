import {
  decideConvert,
  decideMerge,
  decideRedeem,
  decideSplit,
  decideWithdraw,
  redeemedOf,
} from '../../engine/core/decide/money/moves.ts'
import {
  decideApproval,
  decideBuy,
  decideDrain,
  decideFund,
  decideSell,
} from '../../engine/core/decide/money/pools.ts'
import type { Market } from '../../engine/core/markets/catalogue.ts'
import { kindOf, takesOrders } from '../../engine/domain/markets/market.ts'
import { type CallOnce, type MoveBody, POOL_SIDES } from '../../engine/domain/moves/move-command.ts'
import { Reject } from '../../engine/domain/reject-precedence.ts'
import { type GoldenCast, MINUTE_MS } from './golden-cast.ts'

const AMOUNT_RAW = 40_000_000
const DAY_MS = 1440 * MINUTE_MS

/** Pairs, conversions, redemptions, withdrawals and pools, in a golden flow. */
export class GoldenMoves {
  readonly #cast: GoldenCast

  constructor(cast: GoldenCast) {
    this.#cast = cast
  }

  readonly steps: readonly (() => void)[] = [
    () => this.#pairs(decideSplit),
    () => this.#pairs(decideSplit),
    ...Array<() => void>(4).fill(() => this.#pairs(decideMerge)),
    () => this.#convert(),
    () => this.#convert(),
    () => this.#redeem(),
    () => this.#redeem(),
    () => this.#sweep(),
    () => this.#withdraw(),
    ...Array<() => void>(10).fill(() => this.#pool()),
  ]

  /** Applies what the gates give; a refusal makes no command. */
  #move(decided: MoveBody | Reject | null): void {
    if (decided !== null && !(decided instanceof Reject)) this.#cast.driver.control(decided)
  }

  #markets(which: (market: Market) => boolean): Market[] {
    return this.#cast.driver.clearing.catalogue.all().filter(which)
  }

  /** A call is signed, has a key of its profile, or is none that is remembered. */
  #once(): CallOnce | undefined {
    const { driver, random } = this.#cast
    const by = random.pick(['signed', 'keyed', null] as const)
    if (by === null) return undefined
    const bodyDigest = by === 'signed' ? '' : this.#cast.hex(8)
    return { by, digest: this.#cast.hex(8), bodyDigest, untilMs: driver.nowMs + DAY_MS }
  }

  #pairs(decide: typeof decideSplit): void {
    const { driver, random } = this.#cast
    const open = this.#markets(({ book, status }) => book !== 0 && takesOrders(status))
    if (open.length === 0) return
    const request = { profileId: random.between(1, 3), amountRaw: random.between(1, AMOUNT_RAW) }
    this.#move(decide(driver.clearing, random.pick(open), { ...request, once: this.#once() }))
  }

  /** A trader makes pairs of a child of the group, and gives the NO shares for the others. */
  #convert(): void {
    const { driver, random } = this.#cast
    const groups = this.#markets((each) => kindOf(each) === 'group' && takesOrders(each.status))
    if (groups.length === 0) return
    const group = random.pick(groups)
    const child = random.pick(driver.clearing.catalogue.childrenOf(group.marketId))
    const request = { profileId: this.#cast.trader(), amountRaw: random.between(1, AMOUNT_RAW) }
    this.#move(decideSplit(driver.clearing, child, request))
    this.#move(decideConvert(driver.clearing, group, [child], { ...request, once: this.#once() }))
  }

  #redeem(): void {
    const paid = this.#markets(({ isPaidOut, rowCount }) => isPaidOut && rowCount > 0)
    if (paid.length === 0) return
    const request = { profileId: this.#cast.trader(), once: this.#once() }
    this.#move(decideRedeem(this.#cast.driver.clearing, this.#cast.random.pick(paid), request))
  }

  /** The exchange itself redeems what is left of a market. */
  #sweep(): void {
    const { driver, random } = this.#cast
    const paid = this.#markets(({ isPaidOut, rowCount }) => isPaidOut && rowCount > 0)
    if (paid.length === 0) return
    const market = random.pick(paid)
    const { rows } = driver.clearing.ledger
    for (let row = 1; row < rows.end; row++) {
      if (rows.marketOf(row) !== market.marketId) continue
      const position = redeemedOf(driver.clearing, market, row)
      if (position === null) continue
      const { marketId } = market
      driver.control({ kind: 'redeemPositions', marketId, positions: [position] })
    }
  }

  #withdraw(): void {
    const { driver, random } = this.#cast
    const requested = { profileId: this.#cast.trader(), destination: `0x${'cd'.repeat(20)}` }
    const collateralRaw = random.between(1, AMOUNT_RAW)
    this.#move(decideWithdraw(driver.clearing, { ...requested, collateralRaw, once: this.#once() }))
  }

  #pool(): void {
    const { driver, random } = this.#cast
    const { clearing, nowMs } = driver
    const pools = this.#markets((each) => kindOf(each) === 'amm' && each.status !== 'RESOLVED')
    if (pools.length === 0) return
    // Few accounts and the newest pool, so that blocks confirm what trades need.
    const market = pools[pools.length - 1]
    const [profileId, outcome] = [random.between(1, 2), random.below(2)]
    const collateralRaw = random.between(1, AMOUNT_RAW)
    const request = { profileId, outcome, collateralRaw, slippageBps: 100, once: this.#once() }
    const hints = [random.between(1, 9), random.between(1, 9)] as const
    const isFunded = (clearing.pools.of(market.marketId)?.providers.size ?? 0) > 0
    const dice = isFunded ? random.next() : 0
    const side = random.pick(POOL_SIDES)
    if (dice < 0.15) this.#move(decideFund(clearing, market, { profileId, collateralRaw, hints }))
    else if (dice < 0.2) this.#move(decideDrain(clearing, market, profileId))
    else if (dice < 0.5) this.#move(decideApproval(clearing, market, { profileId, side }, nowMs))
    else if (dice < 0.75) this.#move(decideBuy(clearing, market, request, nowMs))
    else this.#move(decideSell(clearing, market, request, nowMs))
  }
}
