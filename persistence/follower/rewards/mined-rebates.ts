import {
  type FeeRates,
  feeRatesOf,
  rebateRaw,
  referralRaw,
} from '../../../engine/core/rewards/rebates.ts'
import type { OpenSample } from '../../../engine/core/rewards/rewards.ts'
import type { AccountId, MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import { SETTLEMENT_STATUSES } from '../../../engine/domain/moves/move-command.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { REWARD_LIMITS } from '../../../engine/domain/rewards/reward-limits.ts'
import type { FeeBps } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'

// Share parts of the fees of one sample, summed up before they are credited.

/** The account and shares of a part; `referred` is 0 for a maker. */
interface ShareKey {
  readonly marketId: MarketId
  readonly accountId: AccountId
  readonly outcome: number
  readonly referred: AccountId
}

interface ShareSum extends ShareKey {
  sharesRaw: number
}

class ShareSums {
  readonly #sums = new Map<string, ShareSum>()

  add(key: ShareKey, sharesRaw: number): void {
    if (sharesRaw === 0) return
    const { marketId, accountId, outcome, referred } = key
    const name = `${marketId} ${accountId} ${outcome} ${referred}`
    const known = this.#sums.get(name)
    if (known === undefined) this.#sums.set(name, { ...key, sharesRaw })
    else known.sharesRaw = Math.min(known.sharesRaw + sharesRaw, Number.MAX_SAFE_INTEGER)
  }

  /**
   * Account, market, outcome, shares and referred profile of each row, flattened; by market, then
   * account, outcome and referred profile. Small rows stay with the exchange.
   */
  rows(): Float64Array {
    const { shareRowRawMin } = REWARD_LIMITS
    const large = [...this.#sums.values()].filter(({ sharesRaw }) => sharesRaw >= shareRowRawMin)
    large.sort((a, b) => {
      const ofAccount = a.marketId - b.marketId || a.accountId - b.accountId
      return ofAccount || a.outcome - b.outcome || a.referred - b.referred
    })
    const rows = large.flatMap(({ marketId, accountId, outcome, referred, sharesRaw }) => {
      return [accountId, marketId, outcome, sharesRaw, referred]
    })
    return Float64Array.from(rows)
  }
}

// Rebates of makers and referrers' parts for the trades mined between two samples (rules §3.2), in
// collateral and in shares. They are computed from the tables, so they can be computed again after
// a crash: the rows of a block never change. By then the tables contain every block of the sample.

const MINED = SETTLEMENT_STATUSES.indexOf('MINED')
const THROUGH = 'SELECT through_seq AS throughSeq FROM blocks WHERE height = ?'
const COLUMNS = `
seq, market_id AS marketId, taker_owner AS takerId, side, outcome, shares_raw AS sharesRaw,
  fee_raw AS feeRaw`
/** Trades of blocks. Trades that were set aside or reversed have a row in settlements. */
const OF_BLOCKS = `
SELECT ${COLUMNS} FROM trades WHERE seq > ? AND seq <= ? AND fee_raw > 0
  AND NOT EXISTS (SELECT 1 FROM settlements WHERE trade_seq = seq)
ORDER BY seq LIMIT ${REWARD_LIMITS.minedReadMax}`
/** Trades that were set aside and then mined in these blocks. */
const LATE = `
SELECT ${COLUMNS} FROM settlements JOIN trades ON seq = trade_seq
WHERE height > ? AND height <= ? AND status = ${MINED} AND fee_raw > 0 ORDER BY seq`
const MAKERS = `
SELECT maker_owner AS owner, sum(size_raw) AS sharesRaw FROM maker_fills WHERE trade_seq = ?
GROUP BY maker_owner ORDER BY maker_owner`

interface TradeRow {
  readonly seq: Seq
  readonly marketId: MarketId
  readonly takerId: ProfileId
  readonly side: number
  readonly outcome: number
  readonly sharesRaw: number
  readonly feeRaw: number
}

const REFERRER = 'SELECT referrer FROM referrals WHERE referred = ?'

/** A referrer's earnings from the fees of a referred profile. */
interface ReferralSum {
  readonly referrer: ProfileId
  earnedRaw: number
}

interface MinedSums {
  readonly rebates: RebateSums
  /** By the referred profile. */
  readonly referrals: Map<ProfileId, ReferralSum>
  readonly shares: ShareSums
}

/** Sums in collateral by market, then by account. */
export type RebateSums = Map<MarketId, Map<AccountId, number>>

export class MinedRebates {
  readonly #through: Statement<[height: number], { throughSeq: Seq }>
  readonly #ofBlocks: Statement<[afterSeq: Seq, throughSeq: Seq], TradeRow>
  readonly #late: Statement<[afterHeight: number, height: number], TradeRow>
  readonly #makers: Statement<[Seq], { owner: AccountId; sharesRaw: number }>
  readonly #referrer: Statement<[ProfileId], { referrer: ProfileId }>

  constructor(connection: Connection) {
    this.#through = connection.prepare(THROUGH)
    this.#ofBlocks = connection.prepare(OF_BLOCKS)
    this.#late = connection.prepare(LATE)
    this.#makers = connection.prepare(MAKERS)
    this.#referrer = connection.prepare(REFERRER)
  }

  /** Pauses after each trade, because a minute may have very many. */
  *sums(
    { afterHeight, height, referralBps }: OpenSample,
    rebates: ReadonlyMap<MarketId, FeeBps>,
  ): Generator<undefined, MinedSums> {
    const sums: MinedSums = { rebates: new Map(), referrals: new Map(), shares: new ShareSums() }
    const isNothing = rebates.size === 0 && referralBps === 0
    if (isNothing || height === afterHeight) return sums
    const add = (trade: TradeRow) => {
      const rates = feeRatesOf(rebates.get(trade.marketId) ?? 0, referralBps)
      if (rates.rebateBps > 0) this.#add(sums, trade, rates)
      if (rates.referralBps > 0) this.#refer(sums, trade, rates)
    }
    for (const trade of this.#late.all(afterHeight, height)) {
      add(trade)
      yield
    }
    const endSeq = this.#through.get(height)?.throughSeq ?? 0
    let afterSeq = this.#through.get(afterHeight)?.throughSeq ?? 0
    for (;;) {
      const trades = this.#ofBlocks.all(afterSeq, endSeq)
      for (const trade of trades) {
        add(trade)
        afterSeq = trade.seq
        yield
      }
      if (trades.length < REWARD_LIMITS.minedReadMax) return sums
    }
  }

  #refer({ referrals, shares }: MinedSums, trade: TradeRow, rates: FeeRates): void {
    const { takerId } = trade
    const known = referrals.get(takerId)
    const referrer = known?.referrer ?? this.#referrer.get(takerId)?.referrer
    if (referrer === undefined) return
    const raw = referralRaw(trade, rates)
    if (trade.side === SIDE.BUY) shares.add(keyOf(trade, referrer, takerId), raw)
    else if (raw > 0) {
      const earnedRaw = Math.min((known?.earnedRaw ?? 0) + raw, Number.MAX_SAFE_INTEGER)
      referrals.set(takerId, { referrer, earnedRaw })
    }
  }

  #add({ rebates, shares }: MinedSums, trade: TradeRow, rates: FeeRates): void {
    const ofMarket = rebates.get(trade.marketId) ?? new Map<AccountId, number>()
    for (const { owner, sharesRaw } of this.#makers.all(trade.seq)) {
      const raw = rebateRaw(trade, sharesRaw, rates)
      if (trade.side === SIDE.BUY) shares.add(keyOf(trade, owner, 0), raw)
      else if (raw > 0) ofMarket.set(owner, (ofMarket.get(owner) ?? 0) + raw)
    }
    if (ofMarket.size > 0) rebates.set(trade.marketId, ofMarket)
  }
}

function keyOf(trade: TradeRow, accountId: AccountId, referred: AccountId): ShareKey {
  return { marketId: trade.marketId, accountId, outcome: trade.outcome, referred }
}
