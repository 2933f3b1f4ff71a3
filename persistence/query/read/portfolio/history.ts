import { moveHashOf } from '../../../../engine/core/money/tx-hash.ts'
import type { ConvertedShares, MoveEvent } from '../../../../engine/core/moves/move-events.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { AccountId, MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { MOVE_KINDS } from '../../../../engine/domain/moves/move-command.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { query } from '../query.ts'
import { type Settlement, Settlements } from '../settlements.ts'
import { type TradePart, TradePartsTable } from '../trade-parts.ts'

// Commands that moved a profile's money outside trading.

/** Of a `MoveRow`. `txHash` is of the transaction that was sent for a move of a server wallet. */
export const MOVE_COLUMNS = `kind, owner, market_id AS marketId, yes_raw AS yesRaw,
  no_raw AS noRaw, collateral_raw AS collateralRaw, detail,
  (SELECT tx_hash FROM move_transactions t WHERE t.seq = moves.seq) AS txHash`
/** Of a seq and an owner. */
export const MOVE_BY_SEQ = `
SELECT ${MOVE_COLUMNS} FROM moves WHERE seq = ? AND owner = ? ORDER BY leg LIMIT 1`

/** A row of the table without its position. */
export interface MoveRow {
  readonly kind: number
  readonly owner: ProfileId
  readonly marketId: MarketId
  readonly yesRaw: number
  readonly noRaw: number
  readonly collateralRaw: number
  readonly detail: string | null
  readonly txHash: string | null
}

export function moveOfRow({ kind, detail, txHash, ...amounts }: MoveRow): MoveEvent {
  const event = { ...amounts, kind: MOVE_KINDS[kind], ...(txHash === null ? {} : { txHash }) }
  if (detail === null) return event
  if (event.kind === 'CONVERT') {
    const converted: readonly ConvertedShares[] = JSON.parse(detail)
    return { ...event, converted }
  }
  const named: string | { readonly txHash: string } = JSON.parse(detail)
  return typeof named === 'string' ? { ...event, destination: named } : { ...event, ...named }
}

/** null if it is not in the tables. */
export const moveBySeq = query({
  name: 'moveBySeq',
  prepare: (db) => db.prepare<[number, number], MoveRow>(MOVE_BY_SEQ),
  run: (bySeq, { seq, owner }: { seq: Seq; owner: ProfileId }): MoveEvent | null => {
    const row = bySeq.get(seq, owner)
    return row === undefined ? null : moveOfRow(row)
  },
})

// An account's activity, newest first: its arrivals that traded, its fills as a maker, and its
// moves outside trading. Each list is read by account from the start of the page, so a page costs
// what it returns. A page of one market skips entries of others in the database, because a returned
// row costs more than ten skipped ones. Reversed trades are excluded.

const TAKEN_BY = `
FROM trades WHERE taker_owner = ? AND seq < ? AND seq >= ? ORDER BY seq DESC LIMIT ?`
const TAKEN = `
SELECT seq, 0 AS leg, market_id AS marketId, is_busted AS isBusted ${TAKEN_BY}`
const TAKEN_END = `SELECT seq, 0 AS leg ${TAKEN_BY} OFFSET ?`
const MADE_BY = `
WHERE f.maker_owner = ? AND (f.trade_seq, f.position) < (?, ?) AND f.trade_seq >= ?
ORDER BY f.trade_seq DESC, f.position DESC LIMIT ?`
const MADE = `
SELECT f.trade_seq AS seq, f.position AS leg, t.market_id AS marketId, t.is_busted AS isBusted
FROM maker_fills f JOIN trades t ON t.seq = f.trade_seq ${MADE_BY}`
const MADE_END = `
SELECT f.trade_seq AS seq, f.position AS leg FROM maker_fills f ${MADE_BY} OFFSET ?`
const MOVED_OF = `
FROM moves WHERE owner = ? AND (seq, leg) < (?, ?) ORDER BY seq DESC, leg DESC LIMIT ?`
const MOVED = `
SELECT seq, leg, moved_ms AS movedMs, ${MOVE_COLUMNS} ${MOVED_OF}`
const MOVED_END = `SELECT seq, leg ${MOVED_OF} OFFSET ?`
/** Times and seqs of trades increase together. */
const TRADED_FROM = 'SELECT traded_ms AS ms FROM trades WHERE seq >= ? ORDER BY seq LIMIT 1'
const NEWEST_TRADE = 'SELECT seq FROM trades ORDER BY seq DESC LIMIT 1'
/** Moves of collateral alone. */
const HIDDEN = [MOVE_KINDS.indexOf('WITHDRAW'), MOVE_KINDS.indexOf('DEPOSIT')]
/** Rows of each list that one page of a single market examines. */
const PASSED_MAX = 2000

/** The position of an entry among all of an account; later entries are greater. */
export interface Place {
  readonly seq: Seq
  readonly leg: number
}

interface HistoryParams {
  readonly owner: AccountId
  /** Returns only entries before it. */
  readonly before: Place
  readonly limit: number
  /** Only entries in this market; null = all. */
  readonly marketId: MarketId | null
}

export const ROLES = ['TAKER', 'MAKER'] as const
export type Role = (typeof ROLES)[number]

interface FillsParams extends HistoryParams {
  /** Only trades from this time on, and before that one. */
  readonly fromMs: TimeMs
  readonly toMs: TimeMs
  readonly roles: readonly Role[]
}

export interface FillRow extends Place {
  readonly part: TradePart
  readonly settlement: Settlement
}

interface FillsPage {
  /** Newest first. */
  readonly rows: readonly FillRow[]
  /**
   * Start of the next page; null after the last one. A page that is not full may have a successor.
   */
  readonly next: Place | null
}

interface Chained extends Place {
  /** null until it is in a block. */
  readonly txHash: string | null
  /** When it was mined; null until then. */
  readonly minedMs: number | null
}

export type HistoryRow = Chained &
  (
    | { readonly what: 'TRADE'; readonly part: TradePart }
    | { readonly what: 'MOVE'; readonly move: MoveEvent; readonly movedMs: number }
  )

interface HistoryPage {
  /** Newest first. */
  readonly rows: readonly HistoryRow[]
  /**
   * Start of the next page; null after the last one. A page that is not full may have a successor.
   */
  readonly next: Place | null
}

interface TradeRow extends Place {
  readonly marketId: MarketId
  readonly isBusted: number
}

type TradeFound = TradeRow & { readonly from: 'TAKEN' | 'MADE' }
type Found = TradeFound | (MovedRow & { from: 'MOVED' })
type MovedRow = Place & MoveRow & { readonly movedMs: number }

const isBefore = (a: Place, b: Place) => a.seq < b.seq || (a.seq === b.seq && a.leg < b.leg)

/** The first rows of a list, and the position where reading stopped; null at its end. */
interface Listed<Row> {
  readonly rows: readonly Row[]
  readonly cut: Place | null
}

/** One list of an account, newest first; `Key` gives its start and end. */
class List<Key extends unknown[], Row extends Place> {
  readonly #all: Statement<[...Key, limit: number], Row>
  readonly #ofMarket: Statement<[...Key, limit: number, MarketId, limit: number], Row>
  readonly #end: Statement<[...Key, limit: number, offset: number], Place>

  constructor(connection: Connection, rows: string, end: string) {
    this.#all = connection.prepare(rows)
    this.#ofMarket = connection.prepare(
      `SELECT * FROM (${rows}) AS passed WHERE marketId = ? LIMIT ?`,
    )
    this.#end = connection.prepare(end)
  }

  from(key: Key, { limit, marketId }: HistoryParams): Listed<Row> {
    const most = limit + 1
    const rows =
      marketId === null
        ? this.#all.all(...key, most)
        : this.#ofMarket.all(...key, PASSED_MAX, marketId, most)
    if (rows.length === most) return { rows, cut: placeOf(rows[limit]) }
    const end = marketId === null ? undefined : this.#end.get(...key, 1, PASSED_MAX - 1)
    return { rows, cut: end ?? null }
  }
}

class History {
  readonly #taken: List<[AccountId, Seq, from: Seq], TradeRow>
  readonly #made: List<[AccountId, Seq, number, from: Seq], TradeRow>
  readonly #moved: List<[AccountId, Seq, number], MovedRow>
  readonly #tradedFrom: Statement<[Seq], { ms: TimeMs }>
  readonly #newestTrade: Statement<[], { seq: Seq }>
  readonly #parts: TradePartsTable
  readonly #settlements: Settlements

  constructor(connection: Connection) {
    this.#taken = new List(connection, TAKEN, TAKEN_END)
    this.#made = new List(connection, MADE, MADE_END)
    this.#moved = new List(connection, MOVED, MOVED_END)
    this.#tradedFrom = connection.prepare(TRADED_FROM)
    this.#newestTrade = connection.prepare(NEWEST_TRADE)
    this.#parts = new TradePartsTable(connection)
    this.#settlements = new Settlements(connection)
  }

  page(params: HistoryParams): HistoryPage {
    const { owner, before } = params
    const moved = this.#moved.from([owner, before.seq, before.leg], params)
    const lists: Listed<Found>[] = [
      this.#takenBy(before, 0, params),
      this.#madeBy(before, 0, params),
      { rows: moved.rows.map((row) => ({ ...row, from: 'MOVED' as const })), cut: moved.cut },
    ]
    const { found, next } = merged(lists, params)
    return { rows: found.map((each) => this.#rowOf(each)), next }
  }

  fills(params: FillsParams): FillsPage {
    const { fromMs, toMs, roles } = params
    const end = { seq: this.#firstFrom(toMs), leg: 0 }
    const before = isBefore(end, params.before) ? end : params.before
    const from = this.#firstFrom(fromMs)
    const lists = [
      ...(roles.includes('TAKER') ? [this.#takenBy(before, from, params)] : []),
      ...(roles.includes('MAKER') ? [this.#madeBy(before, from, params)] : []),
    ]
    const { found, next } = merged<TradeFound>(lists, params)
    const rows = found.map((each) => {
      const { seq, leg } = each
      return { seq, leg, part: this.#partOf(each), settlement: this.#settlements.of(seq) }
    })
    return { rows, next }
  }

  #takenBy({ seq }: Place, from: Seq, params: HistoryParams): Listed<TradeFound> {
    const { rows, cut } = this.#taken.from([params.owner, seq, from], params)
    return { rows: rows.map((row) => ({ ...row, from: 'TAKEN' as const })), cut }
  }

  #madeBy({ seq, leg }: Place, from: Seq, params: HistoryParams): Listed<TradeFound> {
    const { rows, cut } = this.#made.from([params.owner, seq, leg, from], params)
    return { rows: rows.map((row) => ({ ...row, from: 'MADE' as const })), cut }
  }

  /** The lowest seq from which all trades are at or after this time. */
  #firstFrom(ms: TimeMs): Seq {
    let low = 0
    let high = (this.#newestTrade.get()?.seq ?? 0) + 1
    if (ms === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const isFrom = (this.#tradedFrom.get(middle)?.ms ?? Number.POSITIVE_INFINITY) >= ms
      if (isFrom) high = middle
      else low = middle + 1
    }
    return low
  }

  #partOf({ seq, leg, from }: TradeFound): TradePart {
    const taker = this.#parts.taker(seq)
    assert(taker !== undefined, 'a trade has a taker')
    if (from === 'TAKEN') return taker
    const [part] = this.#parts.makers(taker, { from: leg, until: leg + 1 })
    return part
  }

  #rowOf(found: Found): HistoryRow {
    const { seq, leg } = found
    const { txHash, minedMs } = this.#settlements.of(seq)
    if (found.from === 'MOVED') {
      const move = moveOfRow(found)
      const hash = move.txHash ?? this.#hashOf(seq)
      const { movedMs } = found
      return { what: 'MOVE', seq, leg, txHash: hash, minedMs, move, movedMs }
    }
    return { what: 'TRADE', seq, leg, txHash, minedMs, part: this.#partOf(found) }
  }

  /** Of a move in a block of the embedded chain. */
  #hashOf(seq: Seq): string | null {
    const chainId = this.#settlements.chainOf(seq)
    return chainId === null ? null : moveHashOf(chainId, seq)
  }
}

/** The newest shown rows of several lists. */
function merged<Row extends Found>(
  lists: readonly Listed<Row>[],
  { limit, marketId }: HistoryParams,
): { found: readonly Row[]; next: Place | null } {
  // Below the position where a list stopped, its entries are missing.
  let floor: Place | null = null
  for (const { cut } of lists) {
    if (cut !== null && (floor === null || isBefore(floor, cut))) floor = cut
  }
  const found: Row[] = []
  const rows = lists.flatMap((list) => list.rows).sort((a, b) => b.seq - a.seq || b.leg - a.leg)
  for (const row of rows) {
    if (floor !== null && isBefore(row, floor)) break
    if (found.length === limit) return { found, next: placeOf(found[limit - 1]) }
    if (isShown(row, marketId)) found.push(row)
  }
  return { found, next: floor === null ? null : placeOf(floor) }
}

function placeOf({ seq, leg }: Place): Place {
  return { seq, leg }
}

function isShown(found: Found, marketId: MarketId | null): boolean {
  if (found.from === 'MOVED' ? HIDDEN.includes(found.kind) : found.isBusted === 1) return false
  return marketId === null || found.marketId === marketId
}

/** One page of an account's activity, newest first. */
export const history = query({
  name: 'history',
  prepare: (db) => new History(db),
  run: (table, params: HistoryParams) => table.page(params),
  rests: ({ owner }) => ({ owner }),
})

/** One page of an account's fills, newest first. */
export const fills = query({
  name: 'fills',
  prepare: (db) => new History(db),
  run: (table, params: FillsParams) => table.fills(params),
  rests: ({ owner }) => ({ owner }),
})
