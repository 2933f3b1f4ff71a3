import { reversalOf, type SettledTrade } from '../../../engine/core/money/reversal.ts'
import { txHashOf } from '../../../engine/core/money/tx-hash.ts'
import type { AccountId, Seq } from '../../../engine/domain/ids.ts'
import {
  SETTLEMENT_STATUSES,
  type SettlementStatus,
} from '../../../engine/domain/moves/move-command.ts'
import { OUTCOME } from '../../../engine/domain/order.ts'
import type { Connection, Statement } from '../../database.ts'
import { TradedMarkets } from './markets/traded-market.ts'
import { query } from './query.ts'

// The settlement status of trades, and the fields of trades that settlement needs. A trade is
// identified by the seq of its taker's order.

const EXCEPTION = `
SELECT s.status, s.height, s.changed_ms AS changedMs, b.chain_id AS chainId, b.tx_hash AS txHash
FROM settlements s LEFT JOIN blocks b ON b.height = s.height WHERE s.trade_seq = ?`
const COVERING = `
SELECT height, chain_id AS chainId, mined_ms AS minedMs, tx_hash AS txHash FROM blocks
WHERE through_seq >= ? ORDER BY through_seq, height LIMIT 1`
const WAITING = 'SELECT seq FROM trades WHERE seq > ? ORDER BY seq DESC LIMIT ?'
const NEWEST = 'SELECT seq, traded_ms AS tradedMs FROM trades ORDER BY seq DESC LIMIT ?'
const TRADE = `
SELECT market_id AS marketId, taker_owner AS takerId, side, outcome, fee_raw AS feeRaw
FROM trades WHERE seq = ?`
const FILLS = `
SELECT f.maker_owner AS makerId, o.outcome AS makerOutcome, o.side AS makerSide,
  f.size_raw AS sharesRaw, f.yes_ticks AS yesTicks
FROM maker_fills f JOIN orders o ON o.placed_seq = f.maker_placed_seq
WHERE f.trade_seq = ? ORDER BY f.position`

export interface Settlement {
  readonly status: SettlementStatus
  /** Only for MINED: `0x` and 64 hex digits. */
  readonly txHash: string | null
  /** Only for MINED: the height of its block. */
  readonly height: number | null
  readonly minedMs: number | null
}

export interface NewestTrade extends Settlement {
  readonly tradeSeq: Seq
  readonly tradedMs: number
}

interface ExceptionRow {
  readonly status: number
  readonly height: number | null
  readonly changedMs: number
  readonly chainId: number | null
  readonly txHash: string | null
}

interface CoveringRow {
  readonly height: number
  readonly chainId: number
  readonly minedMs: number
  /** null on the embedded chain, which derives it. */
  readonly txHash: string | null
}

type Fill = SettledTrade['fills'][number]

const NOT_MINED = { txHash: null, height: null, minedMs: null }

function mined(tradeSeq: Seq, block: CoveringRow): Settlement {
  const { height, chainId, minedMs, txHash } = block
  const hash = txHash ?? txHashOf(chainId, height, tradeSeq)
  return { status: 'MINED', txHash: hash, height, minedMs }
}

export class Settlements {
  readonly #exception: Statement<[number], ExceptionRow>
  readonly #covering: Statement<[number], CoveringRow>
  readonly #newest: Statement<[number], { seq: Seq; tradedMs: number }>

  constructor(connection: Connection) {
    this.#exception = connection.prepare(EXCEPTION)
    this.#covering = connection.prepare(COVERING)
    this.#newest = connection.prepare(NEWEST)
  }

  /** The status of a trade. For a seq without a trade the result is meaningless. */
  of(tradeSeq: Seq): Settlement {
    const exception = this.#exception.get(tradeSeq)
    if (exception !== undefined) {
      const { height, chainId, changedMs, txHash } = exception
      if (height !== null && chainId !== null) {
        return mined(tradeSeq, { height, chainId, minedMs: changedMs, txHash })
      }
      return { status: SETTLEMENT_STATUSES[exception.status], ...NOT_MINED }
    }
    const covering = this.#covering.get(tradeSeq)
    return covering === undefined ? { status: 'MATCHED', ...NOT_MINED } : mined(tradeSeq, covering)
  }

  /** The chain whose block covers the command; null if none does yet. */
  chainOf(seq: Seq): number | null {
    return this.#covering.get(seq)?.chainId ?? null
  }

  /** Newest trades first. */
  newest(limit: number): NewestTrade[] {
    return this.#newest.all(limit).map(({ seq, tradedMs }) => {
      return { tradeSeq: seq, tradedMs, ...this.of(seq) }
    })
  }
}

class SettledTrades {
  readonly #trade: Statement<[number], Omit<SettledTrade, 'fills'>>
  readonly #fills: Statement<[number], Fill>

  constructor(connection: Connection) {
    this.#trade = connection.prepare(TRADE)
    this.#fills = connection.prepare(FILLS)
  }

  of(tradeSeq: Seq): SettledTrade | null {
    const found = this.#trade.get(tradeSeq)
    return found === undefined ? null : { ...found, fills: this.#fills.all(tradeSeq) }
  }
}

/** The trade as settled; null if it is not in the tables. */
export const settledTrade = query({
  name: 'settledTrade',
  prepare: (db) => new SettledTrades(db),
  run: (settled, { tradeSeq }: { tradeSeq: Seq }) => settled.of(tradeSeq),
  rests: ({ tradeSeq }) => ({ tradeSeqs: [tradeSeq] }),
})

/** What moved on an account; `tokenId` is null for collateral. */
export interface TokenLeg {
  readonly tokenId: string | null
  readonly raw: number
}

/** What a trade moved on one account. */
export interface TradeLeg extends TokenLeg {
  readonly accountId: AccountId
}

/** All that a settled trade moved; null if it is not in the tables. */
export const tradeLegs = query({
  name: 'tradeLegs',
  prepare: (db) => ({
    settled: new SettledTrades(db),
    markets: new TradedMarkets(db),
  }),
  run: ({ settled, markets }, { tradeSeq }: { tradeSeq: Seq }): TradeLeg[] | null => {
    const trade = settled.of(tradeSeq)
    if (trade === null) return null
    const { market: tokens } = markets.of(trade.marketId)
    return reversalOf(trade).legs.flatMap(({ accountId, outcome, collateralRaw, sharesRaw }) => {
      const tokenId = outcome === OUTCOME.YES ? tokens.yesTokenId : tokens.noTokenId
      return [
        { accountId, tokenId: null, raw: -collateralRaw },
        { accountId, tokenId, raw: -sharesRaw },
      ]
    })
  },
  rests: ({ tradeSeq }) => ({ tradeSeqs: [tradeSeq] }),
})

/** The seqs of the newest trades after `seq`, newest first. */
export const tradesAfter = query({
  name: 'tradesAfter',
  prepare: (db) => db.prepare<[number, number], { seq: Seq }>(WAITING),
  run: (waiting, { seq, limit }: { seq: Seq; limit: number }): number[] =>
    waiting.all(seq, limit).map((row) => row.seq),
})

/** Newest trades first. */
export const newestTrades = query({
  name: 'newestTrades',
  prepare: (db) => new Settlements(db),
  run: (settlements, { limit }: { limit: number }) => settlements.newest(limit),
})
