import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayArchive, mayPayOut } from '../../../../engine/core/decide/endings.ts'
import { decideGroup, decideMarkets, newMarkets } from '../../../../engine/core/decide/markets.ts'
import {
  decideConvert,
  decideMerge,
  decideRedeem,
  decideSplit,
  decideWithdraw,
  redeemedOf,
} from '../../../../engine/core/decide/money/moves.ts'
import {
  decideApproval,
  decideBuy,
  decideDrain,
  decideFund,
  decideSell,
} from '../../../../engine/core/decide/money/pools.ts'
import {
  creditedShares,
  decideFunding,
  rewardPayments,
} from '../../../../engine/core/decide/money/rewards.ts'
import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { OrderTable } from '../../../../engine/core/orders/order-table.ts'
import type { Resolution } from '../../../../engine/domain/command.ts'
import { REWARDS_ACCOUNT } from '../../../../engine/domain/ids.ts'
import {
  kindOf,
  type MarketKind,
  type MarketSpec,
  takesOrders,
} from '../../../../engine/domain/markets/market.ts'
import { type MoveBody, POOL_SIDES } from '../../../../engine/domain/moves/move-command.ts'
import { SIDE } from '../../../../engine/domain/order.ts'
import type { PackBody } from '../../../../engine/domain/packs/pack-command.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import type { Credit, ShareCredit } from '../../../../engine/domain/rewards/reward-command.ts'
import { dayOfMinute } from '../../../../engine/domain/rewards/reward-time.ts'
import { GoldenCast } from '../../../golden/golden-cast.ts'
import { GoldenChain } from '../../../golden/golden-chain.ts'
import { ExchangeDriver, type OrderRef } from '../../../support/exchange-driver.ts'
import { olderMerges } from '../../../support/fee-merges.ts'
import { noteProgress } from '../../../support/progress.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { marketSpec } from '../../../support/specs.ts'
import { countPacks, playPack } from '../packs/pack-play.ts'

// Everything that moves money, mixed: orders, blocks, reversals, pairs, conversions, pools,
// payouts, redemptions, deposits and withdrawals. The sum of all collateral is counted after each
// command, and the whole state at every thousandth (invariant 5).

const COMMANDS = 1_000_000
const RECOUNT_EVERY = 1000
const ACCOUNTS = 9
const SINGLES = 3
const GROUPS = 2
const POOLS = 2
const FUNDS_RAW = 10 ** 11
/** A minute long after 1970. */
const DAY_MINUTES = 1440 * 20_000

class Flow {
  readonly driver = new ExchangeDriver(512, new OrderTable(512))
  readonly #random: Random
  readonly #chain: GoldenChain
  #rested: OrderRef[] = []
  /** The markets in memory, which only some commands change. */
  #all: readonly Market[] = []
  readonly kinds = new Map<string, number>()
  #isStale = false
  commands = 0

  constructor(seed: number) {
    this.#random = new Random(seed)
    this.#chain = new GoldenChain(new GoldenCast(this.driver, this.#random))
    this.driver.onCommand = ({ kind }) => {
      // The sums and the markets are those that the command before left.
      if (this.#isStale) this.#all = this.driver.clearing.catalogue.all()
      this.#isStale = kind === 'createMarket' || kind === 'createGroup' || kind === 'archiveMarket'
      this.#count()
      this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1)
      if (++this.commands % RECOUNT_EVERY === 0) this.driver.holds()
    }
    for (let each = 0; each < ACCOUNTS; each++) this.driver.addAccount(FUNDS_RAW)
    this.#open()
  }

  /** Invariant 5, by adding up all collateral there is. */
  #count(): void {
    const { ledger } = this.driver.clearing
    let heldRaw = 0
    for (const raw of ledger.systemRaw) heldRaw += raw
    for (let account = 1; account <= ACCOUNTS; account++) {
      heldRaw += ledger.collateralFreeRaw[account] + ledger.collateralReservedRaw[account]
    }
    for (const { conditionRaw } of this.#all) heldRaw += conditionRaw
    assert.equal(heldRaw, ledger.fundedRaw, 'collateral is conserved')
  }

  run(): void {
    while (this.commands < COMMANDS) {
      this.driver.nowMs += 1
      this.#step()
      if (this.#random.chance(0.02)) this.#chain.mine()
      if (this.#random.chance(0.005)) this.#chain.follow()
      if (this.#random.chance(0.001)) this.#close()
      if (this.#random.chance(0.002)) this.#reward()
    }
    this.driver.holds()
  }

  #step(): void {
    noteProgress()
    const dice = this.#random.next()
    if (dice < 0.68) this.#place()
    else if (dice < 0.78) this.#cancel()
    else if (dice < 0.84) this.#pairs(decideSplit)
    else if (dice < 0.88) this.#pairs(decideMerge)
    else if (dice < 0.94) this.#convert()
    else if (dice < 0.96) this.#redeem()
    else if (dice < 0.97) this.#pool()
    else if (dice < 0.98) this.#pack()
    else this.#adjust()
  }

  #account(): number {
    return this.#random.between(1, ACCOUNTS)
  }

  #markets(which: (market: Market) => boolean): Market[] {
    if (this.#isStale) this.#all = this.driver.clearing.catalogue.all()
    return this.#all.filter(which)
  }

  #place(): void {
    const random = this.#random
    const { marketId } = random.pick(this.#markets((each) => each.book !== 0 && isLive(each)))
    const [account, outcome] = [this.#account(), random.below(2)]
    const heldRaw = this.driver.sharesRaw(account, marketId, outcome)
    const side = heldRaw >= 1000 && random.chance(0.5) ? SIDE.SELL : SIDE.BUY
    const wantRaw = 1000 * random.between(1, 50_000)
    const wholeRaw = heldRaw - (heldRaw % 1000)
    const sizeRaw = side === SIDE.SELL ? Math.min(wantRaw, wholeRaw) : wantRaw
    const type = random.pick(['GTC', 'GTC', 'FAK', 'FOK'] as const)
    const wanted = { account, marketId, outcome, side, type, stp: random.below(3) }
    const priceTicks = random.between(480, 520)
    const placed = this.driver.place({ ...wanted, priceTicks, sizeRaw })
    this.#chain.traded({ marketId, accountId: account, side, outcome }, placed)
    if (placed.result === 'RESTED') this.#rested.push(placed)
  }

  #cancel(): void {
    if (this.#rested.length === 0) return
    const at = this.#random.below(this.#rested.length)
    const ref = this.#rested[at]
    this.#rested[at] = this.#rested[this.#rested.length - 1]
    this.#rested.pop()
    const { orders } = this.driver.clearing
    if (!orders.isLive(ref.slot, ref.generation)) return
    this.driver.cancel(orders.accountOf(ref.slot), ref)
  }

  /** Applies what the gates give; a refusal makes no command. */
  #move(decided: MoveBody | Reject): void {
    if (!(decided instanceof Reject)) this.driver.control(decided)
  }

  #pairs(decide: typeof decideSplit): void {
    const market = this.#random.pick(this.#markets(isLive))
    const amountRaw = 1 + this.#random.spread(50_000_000)
    const request = { profileId: this.#account(), amountRaw }
    this.#move(decide(this.driver.clearing, market, request))
  }

  #convert(): void {
    const groups = this.#markets((each) => kindOf(each) === 'group' && isLive(each))
    if (groups.length === 0) return
    const group = this.#random.pick(groups)
    const children = this.driver.clearing.catalogue.childrenOf(group.marketId)
    const chosen = children.filter(() => this.#random.chance(0.6))
    const request = { profileId: this.#account(), amountRaw: 1 + this.#random.spread(5_000_000) }
    this.#move(decideConvert(this.driver.clearing, group, chosen, request))
  }

  #pool(): void {
    const random = this.#random
    const { clearing, nowMs } = this.driver
    const pools = this.#markets((each) => kindOf(each) === 'amm' && each.status !== 'RESOLVED')
    if (pools.length === 0) return
    const market = random.pick(pools)
    const [profileId, outcome] = [this.#account(), random.below(2)]
    const collateralRaw = 1 + random.spread(50_000_000)
    const request = { profileId, outcome, collateralRaw, slippageBps: 100 }
    const hints = [1 + random.below(9), 1 + random.below(9)] as const
    const dice = random.next()
    if (dice < 0.35) this.#move(decideBuy(clearing, market, request, nowMs))
    else if (dice < 0.7) this.#move(decideSell(clearing, market, request, nowMs))
    else if (dice < 0.8)
      this.#move(decideFund(clearing, market, { profileId, collateralRaw, hints }))
    else if (dice < 0.85) this.#move(decideDrain(clearing, market, profileId, collateralRaw))
    else {
      const side = random.pick(POOL_SIDES)
      const decided = decideApproval(clearing, market, { profileId, side }, nowMs)
      if (decided !== null) this.#move(decided)
    }
  }

  #pack(): void {
    const { clearing, nowMs } = this.driver
    const markets = this.#markets((each) => each.book !== 0 && isLive(each))
    const account = () => this.#account()
    playPack({ clearing, random: this.#random, nowMs, account, apply: this.#apply }, markets)
  }

  readonly #apply = (body: PackBody): void => this.driver.control(body)

  /** All providers leave a pool whose market is paid out. */
  #drainAll(market: Market): void {
    const { clearing } = this.driver
    const providers = clearing.pools.of(market.marketId)?.providers.keys() ?? []
    for (const profileId of [...providers]) this.#move(decideDrain(clearing, market, profileId))
  }

  #redeem(): void {
    const paid = this.#markets(({ isPaidOut, rowCount }) => isPaidOut && rowCount > 0)
    if (paid.length === 0) return
    const profileId = this.#account()
    this.#move(decideRedeem(this.driver.clearing, this.#random.pick(paid), { profileId }))
  }

  #adjust(): void {
    const profileId = this.#account()
    const freeRaw = this.driver.freeRaw(profileId)
    if (freeRaw < FUNDS_RAW) this.driver.deposit(profileId, this.#random.between(1, FUNDS_RAW))
    const collateralRaw = this.#random.between(1, FUNDS_RAW)
    const request = { profileId, collateralRaw, destination: '0x' }
    this.#move(decideWithdraw(this.driver.clearing, request))
  }

  /** Samples, credits at random, and pays what was earned before, as far as there are funds. */
  #reward(): void {
    const { clearing } = this.driver
    const random = this.#random
    const minute = Math.max(clearing.rewards.minute, DAY_MINUTES) + random.between(1, 500)
    this.driver.control({ kind: 'rewardMinute', minute })
    const rows = Array.from({ length: random.below(6) }, (): Credit => {
      return [this.#account(), 1, random.spread(10 ** 8), random.spread(10 ** 6)]
    })
    const parts = Array.from({ length: random.below(6) }, (): ShareCredit => {
      const { marketId } = random.pick(this.#markets((each) => kindOf(each) !== 'group'))
      return [this.#account(), marketId, random.below(2), 1 + random.spread(10 ** 6), 0]
    })
    const { shares, rows: worth } = creditedShares(clearing, parts)
    const credit = { kind: 'creditRewards', minute, part: 0, isLast: true } as const
    this.driver.control({ ...credit, rows: [...rows, ...worth], shares })
    const collateralRaw = random.chance(0.3) ? -random.spread(10 ** 9) : random.spread(10 ** 8)
    if (collateralRaw !== 0 && decideFunding(clearing, REWARDS_ACCOUNT, collateralRaw) === null) {
      this.driver.control({ kind: 'fundRewards', collateralRaw })
    }
    const day = dayOfMinute(minute) - 1
    if (clearing.rewards.hasDue(day)) this.#payRewards(day)
  }

  #payRewards(day: number): void {
    const { clearing } = this.driver
    const { due } = clearing.rewards
    const pay = { kind: 'payRewards', day } as const
    this.driver.control({ ...pay, isLast: false, merges: [], rows: [] })
    this.driver.control({ ...pay, isLast: false, merges: olderMerges(clearing), rows: [] })
    const left = { ...due.totals }
    const accounts = due.accounts()
    while (accounts.length > 0) {
      const rows = rewardPayments(clearing, left, accounts.splice(0, 3))
      this.driver.control({ ...pay, isLast: accounts.length === 0, merges: [], rows })
    }
    assert.equal(left.rewardsRaw + left.rebatesRaw, 0n, 'everyone was looked at')
  }

  /** Resolves a market or a group, pays it out, and redeems some or all of it. */
  #close(): void {
    const { clearing } = this.driver
    const random = this.#random
    const over = random.pick(this.#markets((each) => each.groupId === undefined && isLive(each)))
    const resolutions = this.#resolutionsOf(over)
    this.driver.control({ kind: 'resolveMarkets', resolutions })
    const markets = resolutions.map(({ marketId }) => clearing.catalogue.existing(marketId))
    for (const { marketId } of markets) this.#cancelAll(marketId)
    while (!markets.every((market) => mayPayOut(clearing, market))) this.#chain.mine()
    this.driver.control({ kind: 'postPayouts', marketIds: markets.map(({ marketId }) => marketId) })
    for (const market of markets) this.#drainAll(market)
    countPacks({ clearing, random, apply: this.#apply })
    for (const market of this.#markets(({ isPaidOut }) => isPaidOut)) this.#sweep(market)
    for (const market of this.#markets((each) => mayArchive(clearing, each))) {
      this.driver.control({ kind: 'archiveMarket', marketId: market.marketId })
    }
    this.#open()
  }

  #resolutionsOf(over: Market): readonly Resolution[] {
    const random = this.#random
    const { clearing } = this.driver
    if (kindOf(over) === 'group') {
      const winner = random.pick(clearing.catalogue.childrenOf(over.marketId))
      const resolutions = decideGroup(clearing, over, winner)
      assert(!(resolutions instanceof Reject))
      return resolutions
    }
    const payoutNumerators = random.pick([[1, 0] as const, [0, 1] as const, [2, 5] as const])
    return [{ marketId: over.marketId, payoutNumerators }]
  }

  #cancelAll(marketId: number): void {
    const { orders } = this.driver.clearing
    // Orders that were filled are forgotten here.
    this.#rested = this.#rested.filter(({ slot, generation }) => orders.isLive(slot, generation))
    const live = this.#rested.filter(({ slot }) => orders.marketOf(slot) === marketId)
    if (live.length > 0) this.driver.cancelMany(marketId, live)
  }

  /** Now and then what is left is left for those who hold it. */
  #sweep(market: Market): void {
    const { clearing } = this.driver
    const { rows } = clearing.ledger
    for (let row = 1; row < rows.end; row++) {
      if (rows.marketOf(row) !== market.marketId || this.#random.chance(0.2)) continue
      const position = redeemedOf(clearing, market, row)
      if (position === null) continue
      const { marketId } = market
      this.driver.control({ kind: 'redeemPositions', marketId, positions: [position] })
    }
  }

  /** Keeps some single markets and some groups open. */
  #open(): void {
    const live = this.#markets((each) => each.groupId === undefined && isLive(each))
    const count = (kind: MarketKind) => live.filter((each) => kindOf(each) === kind).length
    for (let each = count('clob'); each < SINGLES; each++) {
      this.driver.addMarket({ feeEnabled: this.#random.chance(0.5) })
    }
    for (let each = count('group'); each < GROUPS; each++) this.#openGroup()
    for (let each = count('amm'); each < POOLS; each++) this.#openPool()
  }

  #openPool(): void {
    const { clearing } = this.driver
    const poolAddress = `0x${'a'.repeat(40)}`
    const poolFeeBps = this.#random.pick([0, 40, 1000])
    const marketId = clearing.catalogue.lastId + 1
    const market = marketSpec(marketId, { kind: 'amm', poolAddress, poolFeeBps })
    this.driver.control({ kind: 'createMarket', marketId, book: 0, market })
    const request = { profileId: this.#account(), collateralRaw: 10 ** 9, hints: [2, 3] as const }
    this.#move(decideFund(clearing, clearing.catalogue.existing(marketId), request))
  }

  #openGroup(): void {
    const { clearing } = this.driver
    const groupId = clearing.catalogue.lastId + 1
    const none = { yesTokenId: '', noTokenId: '', conditionId: '' }
    const convertFeeBps = this.#random.pick([0, 20, 333])
    const group = { ...marketSpec(groupId), ...none, kind: 'group' as const, convertFeeBps }
    const children = Array.from({ length: this.#random.between(2, 4) }, (_none, index) => {
      return marketSpec(groupId + 1 + index, { groupId, orderInGroup: index, feeEnabled: true })
    })
    const specs: readonly MarketSpec[] = [group, ...children]
    assert.equal(decideMarkets(clearing, specs), null)
    this.driver.control({ kind: 'createGroup', markets: newMarkets(clearing, specs) })
  }
}

/** Whether shares of the market are made and traded. */
function isLive({ status }: Market): boolean {
  return takesOrders(status)
}

test(`money is conserved through ${COMMANDS} commands of every kind that moves it`, () => {
  const seed = freshSeed()
  const flow = new Flow(seed)
  flow.run()
  const reported = [...flow.kinds].map(([kind, count]) => `${kind} ${count}`).join(', ')
  for (const kind of [
    'placeOrder',
    'cancelOrders',
    'failSettlement',
    'splitPosition',
    'mergePositions',
    'convertPositions',
    'redeemPositions',
    'withdraw',
    'adjustBalance',
    'archiveMarket',
    'fundPool',
    'drainPool',
    'buyFromPool',
    'sellToPool',
    'approvePool',
    'rewardMinute',
    'creditRewards',
    'payRewards',
    'fundRewards',
    'createPack',
    'offerPack',
    'acceptPackOffer',
    'endPackOffers',
    'countPacks',
    'fundHouse',
  ]) {
    assert((flow.kinds.get(kind) ?? 0) > 100, `SEED=${seed} saw too few ${kind}: ${reported}`)
  }
})
