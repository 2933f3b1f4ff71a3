import { moveHashOf } from '../../../../engine/core/money/tx-hash.ts'
import type { MoveFact } from '../../../../engine/core/moves/move-facts.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { AccountId, MarketId, Seq } from '../../../../engine/domain/ids.ts'
import { MOVE_KINDS } from '../../../../engine/domain/moves/move-kind.ts'
import type { Connection, Statement } from '../../../database.ts'
import { query } from '../query.ts'
import { Settlements } from '../settlements.ts'
import { type TradePart, TradePartsTable } from '../trade-parts.ts'
import { type MoveRow, moveOfRow } from './moves.ts'

// What an account did, newest first: its arrivals that traded, its fills as a maker, and its moves
// outside trading. Each list is read by the account from where a page begins, so a page costs what
// it gives. A trade that was taken back is left out.

const TAKEN = `
SELECT seq, 0 AS leg, market_id AS marketId, is_busted AS isBusted FROM trades
WHERE taker_owner = ? AND seq < ? ORDER BY seq DESC LIMIT ?`
const MADE = `
SELECT f.trade_seq AS seq, f.position AS leg, t.market_id AS marketId, t.is_busted AS isBusted
FROM maker_fills f JOIN trades t ON t.seq = f.trade_seq
WHERE f.maker_owner = ? AND (f.trade_seq, f.position) < (?, ?)
ORDER BY f.trade_seq DESC, f.position DESC LIMIT ?`
const MOVED = `
SELECT seq, leg, kind, owner, market_id AS marketId, yes_raw AS yesRaw, no_raw AS noRaw,
  collateral_raw AS collateralRaw, moved_ms AS movedMs, detail
FROM moves WHERE owner = ? AND (seq, leg) < (?, ?) ORDER BY seq DESC, leg DESC LIMIT ?`
const WITHDRAW = MOVE_KINDS.indexOf('WITHDRAW')
/** Rows of each list that one page of a single market may pass over. */
const PASSED_MAX = 2000

/** The place of an act among all of an account; later acts are greater. */
export interface Place {
  readonly seq: Seq
  readonly leg: number
}

export interface HistoryAsk {
  readonly owner: AccountId
  /** Only acts before it are given. */
  readonly before: Place
  readonly limit: number
  /** Only acts in this market; null for all. */
  readonly marketId: MarketId | null
}

interface Chained extends Place {
  /** Null until a block holds it. */
  readonly txHash: string | null
  /** When a block held it; null until then. */
  readonly minedMs: number | null
}

export type HistoryRow = Chained &
  (
    | { readonly what: 'TRADE'; readonly part: TradePart }
    | { readonly what: 'MOVE'; readonly move: MoveFact; readonly movedMs: number }
  )

export interface HistoryPage {
  /** Newest first. */
  readonly rows: readonly HistoryRow[]
  /** Where the next page begins; null behind the last. It may follow a page that is not full. */
  readonly next: Place | null
}

interface TradeRow extends Place {
  readonly marketId: MarketId
  readonly isBusted: number
}

type Found = (TradeRow & { readonly from: 'TAKEN' | 'MADE' }) | (MovedRow & { from: 'MOVED' })
type MovedRow = Place & MoveRow & { readonly movedMs: number }

const isBefore = (a: Place, b: Place) => a.seq < b.seq || (a.seq === b.seq && a.leg < b.leg)

class History {
  readonly #taken: Statement<[AccountId, Seq, number], TradeRow>
  readonly #made: Statement<[AccountId, Seq, number, number], TradeRow>
  readonly #moved: Statement<[AccountId, Seq, number, number], MovedRow>
  readonly #parts: TradePartsTable
  readonly #settlements: Settlements

  constructor(connection: Connection) {
    this.#taken = connection.prepare(TAKEN)
    this.#made = connection.prepare(MADE)
    this.#moved = connection.prepare(MOVED)
    this.#parts = new TradePartsTable(connection)
    this.#settlements = new Settlements(connection)
  }

  page({ owner, before, limit, marketId }: HistoryAsk): HistoryPage {
    const most = marketId === null ? limit + 1 : Math.max(limit + 1, PASSED_MAX)
    const { seq, leg } = before
    const lists: Found[][] = [
      this.#taken.all(owner, seq, most).map((row) => ({ ...row, from: 'TAKEN' as const })),
      this.#made.all(owner, seq, leg, most).map((row) => ({ ...row, from: 'MADE' as const })),
      this.#moved.all(owner, seq, leg, most).map((row) => ({ ...row, from: 'MOVED' as const })),
    ]
    // Behind the end of a list that was cut, acts of that list are missing.
    let floor: Place | null = null
    for (const list of lists) {
      const last = list.length === most ? list[most - 1] : null
      if (last !== null && (floor === null || isBefore(floor, last))) floor = last
    }
    const all = lists.flat().sort((a, b) => b.seq - a.seq || b.leg - a.leg)
    const rows: HistoryRow[] = []
    for (const found of all) {
      if (floor !== null && isBefore(found, floor)) break
      if (rows.length === limit) return { rows, next: placeOf(rows[limit - 1]) }
      if (!isShown(found, marketId)) continue
      rows.push(this.#rowOf(found))
    }
    return { rows, next: floor === null ? null : placeOf(floor) }
  }

  #rowOf(found: Found): HistoryRow {
    const { seq, leg } = found
    const { txHash, minedMs } = this.#settlements.of(seq)
    if (found.from === 'MOVED') {
      const chainId = this.#settlements.chainOf(seq)
      const hash = chainId === null ? null : moveHashOf(chainId, seq)
      const { movedMs } = found
      return { what: 'MOVE', seq, leg, txHash: hash, minedMs, move: moveOfRow(found), movedMs }
    }
    const taker = this.#parts.taker(seq)
    assert(taker !== undefined, 'a trade has a taker')
    const isTaker = found.from === 'TAKEN'
    const [part] = isTaker ? [taker] : this.#parts.makers(taker, { from: leg, until: leg + 1 })
    return { what: 'TRADE', seq, leg, txHash, minedMs, part }
  }
}

function placeOf({ seq, leg }: Place): Place {
  return { seq, leg }
}

function isShown(found: Found, marketId: MarketId | null): boolean {
  if (found.from === 'MOVED' ? found.kind === WITHDRAW : found.isBusted === 1) return false
  return marketId === null || found.marketId === marketId
}

/** Gives one page of what an account did, newest first. */
export const history = query({
  name: 'history',
  prepare: (db) => new History(db),
  run: (table, asked: HistoryAsk) => table.page(asked),
})
