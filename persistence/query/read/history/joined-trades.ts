import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { Place, TradeRow } from './market-trades.ts'

// Merges the ordered trades of several markets. One trade of each market is read first. When its
// trades are used up, twice as many as before are read: so a page costs one search per market, and
// reads few rows that it does not show.

export interface TapeRow extends TradeRow {
  readonly marketId: MarketId
}

/** The next trades of one market from a position on, in the requested order. */
export type ReadTrades = (marketId: MarketId, from: Place, count: number) => readonly TradeRow[]

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
export function joined(read: ReadTrades, joining: Joining): TapeRow[] {
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
