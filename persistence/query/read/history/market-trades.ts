import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { EPOCH_BITS, epochOf } from '../../../follower/tables/epochs.ts'

// A market's trades before or after a position in its history. The index is divided into epochs, so
// a read visits the epochs in which the market traded, one by one, until it has enough. Each visit
// finds a trade of the market, unless all its trades in that epoch were reversed.

const COLUMNS = `
seq, side, outcome, shares_raw AS sharesRaw, collateral_raw AS collateralRaw,
yes_ticks AS yesTicks, traded_ms AS tradedMs, is_busted AS isBusted, fills`
const IN_EPOCH = `FROM trades WHERE seq >> ${EPOCH_BITS} = ? AND market_id = ? AND is_busted = ?`
const BEFORE = `
SELECT ${COLUMNS} ${IN_EPOCH} AND (traded_ms, seq) < (?, ?)
ORDER BY traded_ms DESC, seq DESC LIMIT ?`
const AFTER = `
SELECT ${COLUMNS} ${IN_EPOCH} AND (traded_ms, seq) > (?, ?) ORDER BY traded_ms, seq LIMIT ?`
const CLOSE = `
SELECT traded_ms AS tradedMs, yes_ticks AS yesTicks ${IN_EPOCH} AND traded_ms < ?
ORDER BY traded_ms DESC, seq DESC LIMIT 1`
const EPOCH_BEFORE = `
SELECT first_ms AS firstMs, first_seq AS firstSeq FROM trade_epochs
WHERE market_id = ? AND (first_ms, first_seq) < (?, ?)
ORDER BY first_ms DESC, first_seq DESC LIMIT 1`
/** The position may be that of the first trade of its epoch. */
const EPOCH_OF = `
SELECT first_ms AS firstMs, first_seq AS firstSeq FROM trade_epochs
WHERE market_id = ? AND (first_ms, first_seq) <= (?, ?)
ORDER BY first_ms DESC, first_seq DESC LIMIT 1`
const EPOCH_AFTER = `
SELECT first_ms AS firstMs, first_seq AS firstSeq FROM trade_epochs
WHERE market_id = ? AND (first_ms, first_seq) > (?, ?) ORDER BY first_ms, first_seq LIMIT 1`

export interface TradeRow {
  readonly seq: Seq
  /** Side and outcome of the taker's order. */
  readonly side: number
  readonly outcome: number
  readonly sharesRaw: number
  readonly collateralRaw: number
  readonly yesTicks: number
  readonly tradedMs: TimeMs
  /** 1 for a reversed trade, otherwise 0. */
  readonly isBusted: number
  /** YES ticks and raw shares of each fill price, best first, as in 520:1000,510:2000. */
  readonly fills: string
}

/** The time and the YES price of a trade. */
export type Close = Pick<TradeRow, 'tradedMs' | 'yesTicks'>

/** A position in the history. Times and seqs increase together. */
export interface Place {
  readonly ms: TimeMs
  readonly seq: Seq
}

export const START: Place = { ms: Number.MIN_SAFE_INTEGER, seq: Number.MIN_SAFE_INTEGER }
export const END: Place = { ms: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER }

/** The requested trades: 0 for valid ones, 1 for reversed ones. */
export type Kinds = readonly (0 | 1)[]

interface EpochRow {
  readonly firstMs: TimeMs
  readonly firstSeq: Seq
}

type EpochKey = [MarketId, TimeMs, Seq]
type RowsKey = [epoch: number, MarketId, isBusted: number, TimeMs, Seq, limit: number]

export class MarketTrades {
  readonly #before: Statement<RowsKey, TradeRow>
  readonly #after: Statement<RowsKey, TradeRow>
  readonly #close: Statement<[epoch: number, MarketId, isBusted: number, TimeMs], Close>
  readonly #epochBefore: Statement<EpochKey, EpochRow>
  readonly #epochOf: Statement<EpochKey, EpochRow>
  readonly #epochAfter: Statement<EpochKey, EpochRow>

  constructor(connection: Connection) {
    this.#before = connection.prepare(BEFORE)
    this.#after = connection.prepare(AFTER)
    this.#close = connection.prepare(CLOSE)
    this.#epochBefore = connection.prepare(EPOCH_BEFORE)
    this.#epochOf = connection.prepare(EPOCH_OF)
    this.#epochAfter = connection.prepare(EPOCH_AFTER)
  }

  /** The trades before a position, newest first. */
  before(marketId: MarketId, kinds: Kinds, { ms, seq }: Place, limit: number): TradeRow[] {
    const found: TradeRow[] = []
    let epoch = this.#epochBefore.get(marketId, ms, seq)
    while (epoch !== undefined) {
      const { firstMs, firstSeq } = epoch
      const rows = kinds.flatMap((kind) => {
        return this.#before.all(epochOf(firstSeq), marketId, kind, ms, seq, limit - found.length)
      })
      rows.sort((a, b) => b.seq - a.seq)
      found.push(...rows.slice(0, limit - found.length))
      if (found.length >= limit) break
      epoch = this.#epochBefore.get(marketId, firstMs, firstSeq)
    }
    return found
  }

  /**
   * Returns a function that finds the last valid trade before a time. Its times must decrease from
   * call to call, because it stays in the epoch of the last trade found.
   */
  closes(marketId: MarketId): (ms: TimeMs) => Close | undefined {
    let epoch = this.#epochBefore.get(marketId, END.ms, END.seq)
    return (ms) => {
      while (epoch !== undefined) {
        const { firstMs, firstSeq } = epoch
        const close = firstMs < ms ? this.#close.get(epochOf(firstSeq), marketId, 0, ms) : undefined
        if (close !== undefined) return close
        // A gap of many epochs is skipped in one search.
        const isBehind = firstMs >= ms
        epoch = isBehind
          ? this.#epochBefore.get(marketId, ms, START.seq)
          : this.#epochBefore.get(marketId, firstMs, firstSeq)
      }
      return undefined
    }
  }

  /** The trades after a position, oldest first. */
  after(marketId: MarketId, kinds: Kinds, { ms, seq }: Place, limit: number): TradeRow[] {
    const found: TradeRow[] = []
    const current = this.#epochOf.get(marketId, ms, seq)
    let epoch = current ?? this.#epochAfter.get(marketId, ms, seq)
    while (epoch !== undefined) {
      const { firstMs, firstSeq } = epoch
      const rows = kinds.flatMap((kind) => {
        return this.#after.all(epochOf(firstSeq), marketId, kind, ms, seq, limit - found.length)
      })
      rows.sort((a, b) => a.seq - b.seq)
      found.push(...rows.slice(0, limit - found.length))
      if (found.length >= limit) break
      epoch = this.#epochAfter.get(marketId, firstMs, firstSeq)
    }
    return found
  }
}
