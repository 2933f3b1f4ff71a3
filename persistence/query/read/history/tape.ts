import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { query } from '../query.ts'
import { END, type Kinds, MarketTrades, type Place, type TradeRow } from './market-trades.ts'

// Every trade of a market in the order in which it happened, those that were taken back included.
// The seq of the taker's command names a trade. Seqs and times rise together, so the time of the
// next trade of any market finds the place of a seq.

const TIME_AFTER = 'SELECT traded_ms AS tradedMs FROM trades WHERE seq > ? ORDER BY seq LIMIT 1'
const ALL: Kinds = [0, 1]

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
  readonly trades: readonly TradeRow[]
}

class Tape {
  readonly #timeAfter: Statement<[Seq], { tradedMs: number }>
  readonly #trades: MarketTrades
  readonly #ofOneState: (asked: TapeAsk) => TapePage

  constructor(connection: Connection) {
    this.#timeAfter = connection.prepare(TIME_AFTER)
    this.#trades = new MarketTrades(connection)
    this.#ofOneState = connection.transaction((asked: TapeAsk) => this.#find(asked))
  }

  find(asked: TapeAsk): TapePage {
    return this.#ofOneState(asked)
  }

  #find(asked: TapeAsk): TapePage {
    const trades = this.#rows(asked)
    if (trades.length === 0) return { prevSeq: 0, trades }
    const [{ seq, tradedMs: ms }] = trades
    const [before] = this.#trades.before(asked.marketId, ALL, { ms, seq }, 1)
    return { prevSeq: before?.seq ?? 0, trades }
  }

  #rows({ marketId, afterSeq, limit }: TapeAsk): TradeRow[] {
    if (afterSeq === null) return this.#trades.before(marketId, ALL, END, limit).reverse()
    const ms = this.#timeAfter.get(afterSeq)?.tradedMs
    if (ms === undefined) return []
    const place: Place = { ms, seq: afterSeq }
    return this.#trades.after(marketId, ALL, place, limit)
  }
}

/** Gives one page of the tape. */
export const tape = query({
  name: 'tape',
  prepare: (db) => new Tape(db),
  run: (table, asked: TapeAsk) => table.find(asked),
})
