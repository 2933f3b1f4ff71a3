import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { query } from '../query.ts'
import { joined, type ReadTrades, type TapeRow } from './joined-trades.ts'
import { END, type Kinds, MarketTrades, type Place } from './market-trades.ts'

// All trades of a market in chronological order, including reversed ones. A trade is identified by
// the seq of its taker's command. Seqs and times increase together, so the time of the next trade
// of any market gives the position of a seq. The tape of a group merges those of its markets.

const TIME_AFTER = 'SELECT traded_ms AS tradedMs FROM trades WHERE seq > ? ORDER BY seq LIMIT 1'
const ALL: Kinds = [0, 1]

export interface TapeParams {
  /** One market, or all markets of a group. */
  readonly marketIds: readonly MarketId[]
  /** Trades after this seq, oldest first; null = the newest trades. */
  readonly afterSeq: Seq | null
  readonly limit: number
}

export interface TapePage {
  /** The seq of the trade before the first one here; 0 if there is none. */
  readonly prevSeq: Seq
  /** By ascending seq. */
  readonly trades: readonly TapeRow[]
}

class Tape {
  readonly #timeAfter: Statement<[Seq], { tradedMs: number }>
  readonly #trades: MarketTrades
  readonly #ofOneState: (params: TapeParams) => TapePage

  constructor(connection: Connection) {
    this.#timeAfter = connection.prepare(TIME_AFTER)
    this.#trades = new MarketTrades(connection)
    this.#ofOneState = connection.transaction((params: TapeParams) => this.#find(params))
  }

  find(params: TapeParams): TapePage {
    return this.#ofOneState(params)
  }

  #find(params: TapeParams): TapePage {
    const { marketIds, afterSeq, limit } = params
    if (afterSeq === null) {
      // One more than is shown: the trade before the first one here.
      const newest = this.#before(marketIds, END, limit + 1).reverse()
      const prevSeq = newest.length > limit ? newest[0].seq : 0
      return { prevSeq, trades: newest.slice(-limit) }
    }
    const trades = this.#after(marketIds, afterSeq, limit)
    if (trades.length === 0) return { prevSeq: 0, trades }
    const [{ seq, tradedMs: ms }] = trades
    const [before] = this.#before(marketIds, { ms, seq }, 1)
    return { prevSeq: before?.seq ?? 0, trades }
  }

  #before(marketIds: readonly MarketId[], place: Place, limit: number): TapeRow[] {
    const read: ReadTrades = (marketId, from, count) => {
      return this.#trades.before(marketId, ALL, from, count)
    }
    return joined(read, { marketIds, place, limit, isFirst: (a, b) => a.seq > b.seq })
  }

  #after(marketIds: readonly MarketId[], afterSeq: Seq, limit: number): TapeRow[] {
    const ms = this.#timeAfter.get(afterSeq)?.tradedMs
    if (ms === undefined) return []
    const place: Place = { ms, seq: afterSeq }
    const read: ReadTrades = (marketId, from, count) => {
      return this.#trades.after(marketId, ALL, from, count)
    }
    return joined(read, { marketIds, place, limit, isFirst: (a, b) => a.seq < b.seq })
  }
}

/** One page of the tape. */
export const tape = query({
  name: 'tape',
  prepare: (db) => new Tape(db),
  run: (table, params: TapeParams) => table.find(params),
})
