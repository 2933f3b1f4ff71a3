// Models settlement, by commands alone. A trade is what its market's answer moved, account by
// account, in the reference model. A reversal moves the same the other way.

import assert from 'node:assert/strict'
import type { SettledTrade } from '../../engine/core/money/reversal.ts'
import type { Command } from '../../engine/domain/command.ts'
import { FEE_ACCOUNT } from '../../engine/domain/ids.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import type { SlowAnswer, SlowExchange, SlowRequest } from '../support/reference-book.ts'
import { profilesOf } from './money-watch.ts'
import type { MinedFee } from './referral-model.ts'

type Failing = Extract<Command, { kind: 'failSettlement' }>

interface ModelTrade {
  /** The trade as the read tables would show it. */
  readonly settled: SettledTrade
  /** The collateral, YES and NO that the trade brought each account. */
  readonly moved: ReadonlyMap<number, readonly [cash: bigint, yes: bigint, no: bigint]>
  readonly inside: bigint
  readonly fee: MinedFee
}

/** The totals of the accounts before the market answered. */
export interface Before {
  readonly totals: ModelTrade['moved']
  readonly inside: bigint
}

interface Traded {
  readonly request: SlowRequest
  readonly answer: SlowAnswer
  readonly makers: readonly SlowRequest[]
  readonly before: Before
  readonly slow: SlowExchange
}

const sideOf = ({ side }: SlowRequest) => (side === 'buy' ? SIDE.BUY : SIDE.SELL)
const outcomeOf = ({ token }: SlowRequest) => (token === 'yes' ? OUTCOME.YES : OUTCOME.NO)

export class ChainModel {
  height = 0
  throughSeq = 0
  failures = 0
  readonly aside = new Set<number>()
  /** Trades that may still be reversed. */
  readonly trades = new Map<number, ModelTrade>()
  /** What the commands of a reversal that goes on took back so far. */
  readonly #taken = new Map<number, Map<number, readonly [bigint, bigint, bigint]>>()
  readonly #takenInside = new Map<number, bigint>()
  /** Markets in which a reversal took shares of an account, by account. */
  readonly #reversed = new Map<number, Set<number>>()
  /** The fees of the trades that the last command put into a block. */
  mined: readonly MinedFee[] = []

  copy(): ChainModel {
    const model = new ChainModel()
    model.height = this.height
    model.throughSeq = this.throughSeq
    model.failures = this.failures
    for (const seq of this.aside) model.aside.add(seq)
    for (const [seq, trade] of this.trades) model.trades.set(seq, trade)
    for (const [seq, taken] of this.#taken) model.#taken.set(seq, new Map(taken))
    for (const [seq, inside] of this.#takenInside) model.#takenInside.set(seq, inside)
    for (const [account, markets] of this.#reversed) model.#reversed.set(account, new Set(markets))
    return model
  }

  /** Whether a trade of the market is in no block. */
  waits(marketId: number): boolean {
    return [...this.trades.values()].some(({ settled }) => settled.marketId === marketId)
  }

  before(slow: SlowExchange, accounts: number, market: number): Before {
    const totalsOf = (account: number) => {
      const cash = slow.cash(account)
      const yes = slow.shares(account, market, 'yes')
      const no = slow.shares(account, market, 'no')
      return [cash.free + cash.locked, yes.free + yes.locked, no.free + no.locked] as const
    }
    const all = [FEE_ACCOUNT, ...profilesOf(accounts)]
    const totals = new Map(all.map((account) => [account, totalsOf(account)]))
    return { totals, inside: slow.inside(market) }
  }

  /** The market answered; `makers` are the makers of the answer's fills, in order. */
  traded(seq: number, { request, answer, makers, before, slow }: Traded): void {
    // All accounts but that of the fees are profiles.
    const now = this.before(slow, before.totals.size - 1, request.market)
    const moved = new Map<number, readonly [bigint, bigint, bigint]>()
    for (const [account, [cash, yes, no]] of now.totals) {
      const was = before.totals.get(account) ?? [0n, 0n, 0n]
      moved.set(account, [cash - was[0], yes - was[1], no - was[2]])
    }
    const fills = answer.fills.map(({ shares }, index) => {
      const maker = makers[index]
      const ticks = Number(maker.price ?? 0n) / 1000
      return {
        makerId: maker.owner,
        makerOutcome: outcomeOf(maker),
        makerSide: sideOf(maker),
        sharesRaw: Number(shares),
        yesTicks: maker.token === 'yes' ? ticks : 1000 - ticks,
      }
    })
    const settled = {
      marketId: request.market,
      takerId: request.owner,
      side: sideOf(request),
      outcome: outcomeOf(request),
      feeRaw: Number(answer.fee),
      fills,
    }
    const fee = {
      takerId: request.owner,
      marketId: request.market,
      outcome: request.side === 'buy' ? outcomeOf(request) : null,
      feeRaw: Number(answer.fee),
    }
    this.trades.set(seq, { settled, moved, inside: now.inside - before.inside, fee })
  }

  admit(command: Command, slow: SlowExchange, pending: Iterable<number>): void {
    this.mined = []
    switch (command.kind) {
      case 'mineBlock':
        this.#mine(command, pending)
        return
      case 'retrySettlement':
        assert(this.trades.has(command.tradeSeq), 'only an open trade is set aside')
        this.aside.add(command.tradeSeq)
        return
      case 'settleTrade':
        assert(this.aside.delete(command.tradeSeq), 'a trade that settles late was set aside')
        this.#took(command.tradeSeq)
        return
      case 'failSettlement': {
        const trade = this.trades.get(command.tradeSeq)
        assert(trade !== undefined, 'only an open trade is reversed')
        this.#takeBack(command, slow)
        if (command.fillsLeft !== undefined) return
        this.#assertWhole(command.tradeSeq, trade)
        this.trades.delete(command.tradeSeq)
        this.aside.delete(command.tradeSeq)
        this.failures++
      }
    }
  }

  #mine(
    { height, throughSeq }: { height: number; throughSeq: number },
    pending: Iterable<number>,
  ): void {
    assert.equal(height, this.height + 1, 'blocks come in order')
    for (const seq of pending) assert(seq > throughSeq, 'a block covers settled receipts only')
    this.height = height
    this.throughSeq = throughSeq
    for (const seq of this.trades.keys()) {
      if (seq <= throughSeq && !this.aside.has(seq)) this.#took(seq)
    }
  }

  /** A block holds the trade. */
  #took(tradeSeq: number): void {
    const fee = this.trades.get(tradeSeq)?.fee
    assert(fee !== undefined, 'a trade is mined once')
    this.trades.delete(tradeSeq)
    if (fee.feeRaw > 0) this.mined = [...this.mined, fee]
  }

  /** What the trades that are not mined brought the account, purchases by what they may win. */
  unmined(account: number): bigint {
    let sum = 0n
    for (const { moved } of this.trades.values()) {
      const [cash, yes, no] = moved.get(account) ?? [0n, 0n, 0n]
      const brought = cash + (yes > 0n ? yes : 0n) + (no > 0n ? no : 0n)
      if (brought > 0n) sum += brought
    }
    return sum
  }

  /** What the shares below zero of the account may have to pay. */
  owed(account: number, slow: SlowExchange): bigint {
    let sum = 0n
    for (const market of this.#reversed.get(account) ?? []) {
      for (const token of ['yes', 'no'] as const) {
        const { free } = slow.shares(account, market, token)
        if (free < 0n) sum -= free
      }
    }
    return sum
  }

  /** Whichever of the trades that are not mined fail now, the account pays all its debts. */
  assertPays(account: number, slow: SlowExchange): void {
    const own = [...this.trades.values()].filter(({ moved }) => moved.has(account))
    const few = own.length <= 8 ? own.length : 0
    const choices = Array.from({ length: 2 ** few }, (_each, mask) =>
      own.filter((_trade, index) => index < few && (mask >> index) % 2 === 1),
    )
    const sales = own.filter(({ moved }) => (moved.get(account)?.[0] ?? 0n) > 0n)
    for (const failed of [...choices, own, sales, ...own.map((each) => [each])]) {
      const left = this.#afterFailing(account, failed, slow)
      assert(left >= 0n, `after a withdrawal account ${account} may owe ${-left}`)
    }
  }

  /** Free collateral less all that shares below zero may have to pay. */
  #afterFailing(account: number, failed: readonly ModelTrade[], slow: SlowExchange): bigint {
    let { free } = slow.cash(account)
    const shares = new Map<string, bigint>()
    const sharesOf = (market: number, token: 'yes' | 'no') =>
      shares.get(`${market} ${token}`) ?? slow.shares(account, market, token).free
    for (const market of this.#reversed.get(account) ?? []) {
      for (const token of ['yes', 'no'] as const) {
        shares.set(`${market} ${token}`, sharesOf(market, token))
      }
    }
    for (const { settled, moved } of failed) {
      const { marketId } = settled
      const [cash, yes, no] = moved.get(account) ?? [0n, 0n, 0n]
      free -= cash
      shares.set(`${marketId} yes`, sharesOf(marketId, 'yes') - yes)
      shares.set(`${marketId} no`, sharesOf(marketId, 'no') - no)
    }
    for (const raw of shares.values()) if (raw < 0n) free += raw
    return free
  }

  /** Moves what the command says; only all commands of a trade together are known to the model. */
  #takeBack({ tradeSeq, legs, conditions }: Failing, slow: SlowExchange): void {
    const taken = this.#taken.get(tradeSeq) ?? new Map<number, readonly [bigint, bigint, bigint]>()
    this.#taken.set(tradeSeq, taken)
    for (const { accountId, marketId, outcome, ...raws } of legs) {
      const [collateral, shares] = [BigInt(raws.collateralRaw), BigInt(raws.sharesRaw)]
      slow.cash(accountId).free += collateral
      slow.shares(accountId, marketId, outcome === OUTCOME.YES ? 'yes' : 'no').free += shares
      const [cash, yes, no] = taken.get(accountId) ?? [0n, 0n, 0n]
      const isYes = outcome === OUTCOME.YES
      const sums = [cash + collateral, yes + (isYes ? shares : 0n), no + (isYes ? 0n : shares)]
      taken.set(accountId, [sums[0], sums[1], sums[2]])
      if (shares >= 0n) continue
      this.#reversed.set(accountId, (this.#reversed.get(accountId) ?? new Set()).add(marketId))
    }
    for (const { marketId, collateralRaw } of conditions) {
      slow.moveInside(marketId, BigInt(collateralRaw))
      const inside = this.#takenInside.get(tradeSeq) ?? 0n
      this.#takenInside.set(tradeSeq, inside + BigInt(collateralRaw))
    }
  }

  /** The commands of a reversal took back all that the trade moved, and no more. */
  #assertWhole(tradeSeq: number, { moved, inside }: ModelTrade): void {
    assert.equal(this.#takenInside.get(tradeSeq) ?? 0n, -inside, 'pairs as the trade left them')
    this.#takenInside.delete(tradeSeq)
    for (const [account, [cash, yes, no]] of moved) {
      const back = this.#taken.get(tradeSeq)?.get(account) ?? [0n, 0n, 0n]
      assert.deepEqual(back, [-cash, -yes, -no], 'a reversal takes back what the trade moved')
    }
    this.#taken.delete(tradeSeq)
  }
}
