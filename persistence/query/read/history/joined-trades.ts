import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { Place, TradeRow } from './market-trades.ts'

// The trades of several markets in one order, from the ordered trades of each. Every market is
// asked for one trade. One whose trades are taken is asked for twice as many as before: so a page
// costs a search for each market, and reads few rows that it does not show.

export interface TapeRow extends TradeRow {
  readonly marketId: MarketId
}

/** The next trades of one market from a place on, in the order that is wanted. */
export type ReadTrades = (marketId: MarketId, from: Place, count: number) => readonly TradeRow[]

interface Joining {
  readonly marketIds: readonly MarketId[]
  readonly place: Place
  readonly limit: number
  /** Whether the first trade comes before the second in the order that is wanted. */
  readonly isFirst: (a: TradeRow, b: TradeRow) => boolean
}

/** What was read of one market and is not yet taken. */
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

  /** Takes the next trade, and reads more when none is left. */
  take({ seq, tradedMs }: TradeRow): void {
    this.#at++
    // The last read gave fewer than it was asked for: there are no more.
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
