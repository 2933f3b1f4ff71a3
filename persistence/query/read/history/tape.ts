import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { query } from '../query.ts'

// Every trade of a market in the order in which it happened, those that were taken back included.
// The seq of the taker's command names a trade. Seqs and times rise together, so a seq is found in
// the index by time. Trades that were taken back have a range of their own there: a page reads at
// most `limit` rows of each range.

const COLUMNS = `
seq, side, outcome, shares_raw AS sharesRaw, collateral_raw AS collateralRaw,
yes_ticks AS yesTicks, traded_ms AS tradedMs, is_busted AS isBusted`
const TIME_AFTER = 'SELECT traded_ms AS tradedMs FROM trades WHERE seq > ? ORDER BY seq LIMIT 1'
const AFTER = `
SELECT ${COLUMNS} FROM trades
WHERE market_id = ? AND is_busted = ? AND (traded_ms, seq) > (?, ?)
ORDER BY traded_ms, seq LIMIT ?`
const NEWEST = `
SELECT ${COLUMNS} FROM trades WHERE market_id = ? AND is_busted = ?
ORDER BY traded_ms DESC, seq DESC LIMIT ?`
const BEFORE = `
SELECT seq FROM trades
WHERE market_id = ? AND is_busted = ? AND (traded_ms, seq) < (?, ?)
ORDER BY traded_ms DESC, seq DESC LIMIT 1`

export interface TapeRow {
  readonly seq: Seq
  /** Side and outcome of the taker's order. */
  readonly side: number
  readonly outcome: number
  readonly sharesRaw: number
  readonly collateralRaw: number
  readonly yesTicks: number
  readonly tradedMs: number
  /** 1 for a trade that was taken back, else 0. */
  readonly isBusted: number
}

export interface TapeAsk {
  readonly marketId: MarketId
  /** Trades after this seq, oldest first; null for the newest trades. */
  readonly afterSeq: Seq | null
  readonly limit: number
}

export interface TapePage {
  /** The seq of the trade before the first one here; 0 when there is none. */
  readonly prevSeq: Seq
  /** By rising seq. */
  readonly trades: readonly TapeRow[]
}

const EMPTY: TapePage = { prevSeq: 0, trades: [] }

class Tape {
  readonly #timeAfter: Statement<[Seq], { tradedMs: number }>
  readonly #after: Statement<[MarketId, number, number, Seq, number], TapeRow>
  readonly #newest: Statement<[MarketId, number, number], TapeRow>
  readonly #before: Statement<[MarketId, number, number, Seq], { seq: Seq }>
  readonly #ofOneState: (asked: TapeAsk) => TapePage

  constructor(connection: Connection) {
    this.#timeAfter = connection.prepare(TIME_AFTER)
    this.#after = connection.prepare(AFTER)
    this.#newest = connection.prepare(NEWEST)
    this.#before = connection.prepare(BEFORE)
    this.#ofOneState = connection.transaction((asked: TapeAsk) => this.#find(asked))
  }

  find(asked: TapeAsk): TapePage {
    return this.#ofOneState(asked)
  }

  #find(asked: TapeAsk): TapePage {
    const trades = this.#rows(asked)
    const [first] = trades
    if (first === undefined) return EMPTY
    const { seq, tradedMs } = first
    const before = [0, 1].map((isBusted) => {
      return this.#before.get(asked.marketId, isBusted, tradedMs, seq)?.seq ?? 0
    })
    return { prevSeq: Math.max(...before), trades }
  }

  #rows({ marketId, afterSeq, limit }: TapeAsk): TapeRow[] {
    if (afterSeq === null) {
      const newest = [0, 1].flatMap((isBusted) => this.#newest.all(marketId, isBusted, limit))
      return newest.sort((a, b) => a.seq - b.seq).slice(-limit)
    }
    const tradedMs = this.#timeAfter.get(afterSeq)?.tradedMs
    if (tradedMs === undefined) return []
    const after = [0, 1].flatMap((isBusted) => {
      return this.#after.all(marketId, isBusted, tradedMs, afterSeq, limit)
    })
    return after.sort((a, b) => a.seq - b.seq).slice(0, limit)
  }
}

/** Gives one page of the tape. */
export const tape = query({
  name: 'tape',
  prepare: (db) => new Tape(db),
  run: (table, asked: TapeAsk) => table.find(asked),
})
