import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { openFloor, type StoredFloor } from '../../../follower/pruning/history-floor.ts'
import { query } from '../query.ts'
import { END, type Kinds, MarketTrades, type Place, type TradeRow } from './market-trades.ts'

// Merges the ordered trades of several markets. One trade of each market is read first. When its
// trades are used up, twice as many as before are read: so a page costs one search per market, and
// reads few rows that it does not show.

interface TapeRow extends TradeRow {
  readonly marketId: MarketId
}

/** The next trades of one market from a position on, in the requested order. */
type ReadTrades = (marketId: MarketId, from: Place, count: number) => readonly TradeRow[]

interface Joining {
  readonly marketIds: readonly MarketId[]
  readonly place: Place
  readonly limit: number
  /** Whether the first trade precedes the second in the requested order. */
  readonly isFirst: (a: TradeRow, b: TradeRow) => boolean
}

/** Trades read of one market and not taken yet. */
class Ahead {
  readonly marketId: MarketId
  readonly #read: ReadTrades
  readonly #limit: number
  #rows: readonly TradeRow[]
  #at = 0
  #count: number

  constructor(read: ReadTrades, marketId: MarketId, { marketIds, place, limit }: Joining) {
    this.marketId = marketId
    this.#read = read
    this.#limit = limit
    this.#count = marketIds.length === 1 ? limit : 1
    this.#rows = read(marketId, place, this.#count)
  }

  get next(): TradeRow | undefined {
    return this.#rows[this.#at]
  }

  /** Takes the next trade, and reads more if none is left. */
  take({ seq, tradedMs }: TradeRow): void {
    this.#at++
    // The last read returned fewer trades than requested, so there are no more.
    if (this.#at < this.#rows.length || this.#rows.length < this.#count) return
    this.#count = Math.min(2 * this.#count, this.#limit)
    this.#rows = this.#read(this.marketId, { ms: tradedMs, seq }, this.#count)
    this.#at = 0
  }
}

/** The first trades of all these markets together. */
function joined(read: ReadTrades, joining: Joining): TapeRow[] {
  const { marketIds, limit, isFirst } = joining
  const all = marketIds.map((marketId) => new Ahead(read, marketId, joining))
  const found: TapeRow[] = []
  while (found.length < limit) {
    let first: Ahead | undefined
    let row: TradeRow | undefined
    for (const each of all) {
      const next = each.next
      if (next === undefined || (row !== undefined && isFirst(row, next))) continue
      first = each
      row = next
    }
    if (first === undefined || row === undefined) break
    found.push({ ...row, marketId: first.marketId })
    if (found.length < limit) first.take(row)
  }
  return found
}

// All trades of a market in chronological order, including reversed ones. A trade is identified by
// the seq of its taker's command. Seqs and times increase together, so the time of the next trade
// of any market gives the position of a seq. The tape of a group merges those of its markets.

const TIME_AFTER = 'SELECT traded_ms AS tradedMs FROM trades WHERE seq > ? ORDER BY seq LIMIT 1'
const ALL: Kinds = [0, 1]

interface TapeParams {
  /** One market, or all markets of a group. */
  readonly marketIds: readonly MarketId[]
  /** Trades after this seq, oldest first; null = the newest trades. */
  readonly afterSeq: Seq | null
  readonly limit: number
}

interface TapePage {
  /**
   * The seq of the trade before the first one here; 0 if there is none. At least that, if trades
   * after `afterSeq` are no longer in the tables.
   */
  readonly prevSeq: Seq
  /** By ascending seq. */
  readonly trades: readonly TapeRow[]
}

class Tape {
  readonly #floor: () => StoredFloor
  readonly #timeAfter: Statement<[Seq], { tradedMs: number }>
  readonly #trades: MarketTrades
  readonly #ofOneState: (params: TapeParams) => TapePage

  constructor(connection: Connection) {
    this.#floor = openFloor(connection)
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
    // Trades behind `afterSeq` that are gone are a gap.
    const { seq: prunedSeq } = this.#floor()
    const goneSeq = afterSeq > 0 && afterSeq < prunedSeq ? prunedSeq : 0
    return { prevSeq: Math.max(before?.seq ?? 0, goneSeq), trades }
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
