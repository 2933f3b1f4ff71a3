import { assert } from '../../../../engine/domain/assert.ts'
import type { MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { MOVE_KINDS } from '../../../../engine/domain/moves/move-command.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import {
  IS_ENDED_PACK,
  IS_FEATURED_PACK,
  IS_FEATURED_POOL_TRADE,
  IS_FEATURED_TRADE,
  IS_POOL_TRADE,
} from '../../../follower/tables/featured.ts'
import { TAKER, type TakerRow } from '../history/mined-trades.ts'
import { packsIn, type ShownPack } from '../packs/packs.ts'
import { query } from '../query.ts'

// Public activity, newest first: arrivals that traded, pool trades, created and ended packs,
// resolutions. Each list is read by age from the start of the page, and the newest entry of all is
// taken next. A page examines a bounded number of rows, shown or not, so a page that is not full
// may have successors.

const TRADED = `
SELECT seq, 0 AS leg, market_id AS marketId, taker_owner AS owner, side, outcome,
  shares_raw AS sharesRaw, collateral_raw AS collateralRaw, traded_ms AS atMs,
  is_busted AS isBusted
FROM trades`
const MOVED = `
SELECT seq, leg, market_id AS marketId, owner, kind, yes_raw AS yesRaw, no_raw AS noRaw,
  collateral_raw AS collateralRaw, moved_ms AS atMs
FROM moves`
const TRADES = `${TRADED} WHERE seq < ? ORDER BY seq DESC LIMIT ?`
const FEATURED_TRADES = `
${TRADED} INDEXED BY featured_trades WHERE ${IS_FEATURED_TRADE} AND seq < ?
ORDER BY seq DESC LIMIT ?`
const POOL_TRADES = `
${MOVED} INDEXED BY pool_trades WHERE ${IS_POOL_TRADE} AND (seq, leg) < (?, ?)
ORDER BY seq DESC, leg DESC LIMIT ?`
const FEATURED_POOL_TRADES = `
${MOVED} INDEXED BY featured_pool_trades WHERE ${IS_FEATURED_POOL_TRADE} AND (seq, leg) < (?, ?)
ORDER BY seq DESC, leg DESC LIMIT ?`
const RESOLVED = `
SELECT seq, market_id AS leg, market_id AS marketId, resolved_ms AS atMs FROM resolutions
WHERE (seq, market_id) < (?, ?) ORDER BY seq DESC, market_id DESC LIMIT ?`
const MADE = 'SELECT pack_id AS seq, 0 AS leg, pack_id AS packId, owner, made_ms AS atMs FROM packs'
const PACKS_MADE = `${MADE} WHERE pack_id < ? ORDER BY pack_id DESC LIMIT ?`
const FEATURED_PACKS_MADE = `
${MADE} INDEXED BY featured_packs WHERE ${IS_FEATURED_PACK} AND pack_id < ?
ORDER BY pack_id DESC LIMIT ?`
const ENDED = `
SELECT ended_seq AS seq, pack_id AS leg, pack_id AS packId, owner, ended_ms AS atMs FROM packs`
const ENDED_BEFORE = `(ended_seq, pack_id) < (?, ?) ORDER BY ended_seq DESC, pack_id DESC LIMIT ?`
const PACKS_ENDED = `${ENDED} INDEXED BY ended_packs WHERE ${IS_ENDED_PACK} AND ${ENDED_BEFORE}`
const FEATURED_PACKS_ENDED = `
${ENDED} INDEXED BY featured_ended_packs
WHERE ${IS_ENDED_PACK} AND ${IS_FEATURED_PACK} AND ${ENDED_BEFORE}`
const FOLLOWS = 'SELECT 1 AS follows FROM follows WHERE owner = ? AND followed = ?'

const BUY = MOVE_KINDS.indexOf('BUY')
/** Rows examined for one page. */
export const EXAMINED_MAX = 500
/** Rows per read of a list. */
const READ_MAX = 250

export const AUDIENCES = ['all', 'featured', 'following'] as const
export type Audience = (typeof AUDIENCES)[number]

/** The position of an entry; later entries are greater. */
export interface FeedPlace {
  readonly seq: Seq
  /** Distinguishes entries of the same command. */
  readonly leg: number
}

export interface FeedParams {
  readonly audience: Audience
  /** The profile whose follows count; ignored for other audiences. */
  readonly follower: ProfileId
  /** Returns only entries before it. */
  readonly before: FeedPlace
  readonly limit: number
  /** Returns only entries from this time on. */
  readonly fromMs: TimeMs
}

interface Entry extends FeedPlace {
  readonly atMs: TimeMs
}

interface Traded extends Entry {
  readonly what: 'TRADE'
  readonly marketId: MarketId
  readonly owner: ProfileId
  readonly side: number
  readonly outcome: number
  readonly sharesRaw: number
  readonly collateralRaw: number
}

interface Resolved extends Entry {
  readonly what: 'RESOLVED'
  readonly marketId: MarketId
}

interface OfPack extends Entry {
  readonly what: 'PACK_MADE' | 'PACK_ENDED'
  readonly packId: Seq
  readonly owner: ProfileId
}

/** `trader` is null for a profile that is not in the tables. */
export type FeedEntry =
  | (Traded & { readonly trader: TakerRow | null })
  | (OfPack & { readonly trader: TakerRow | null; readonly pack: ShownPack })
  | Resolved

export interface FeedPage {
  /** Newest first. */
  readonly entries: readonly FeedEntry[]
  /** Start of the next page; null after the last entry. */
  readonly next: FeedPlace | null
}

type Row = (Traded & { readonly isBusted: boolean }) | OfPack | Resolved
type TradeRow = Omit<Traded, 'what'> & { readonly isBusted: number }
type MoveRow = Entry & {
  readonly marketId: MarketId
  readonly owner: ProfileId
  readonly kind: number
  readonly yesRaw: number
  readonly noRaw: number
  readonly collateralRaw: number
}
type PackRow = Omit<OfPack, 'what'>
/** The newest rows of one list before a position. */
type ReadRows = (before: FeedPlace, count: number) => readonly Row[]
type BeforePlace<Found> = Statement<[Seq, leg: number, limit: number], Found>

/** One list with some rows read ahead. */
class Ahead {
  readonly #read: ReadRows
  #count: number
  #rows: readonly Row[]
  #at = 0

  constructor(read: ReadRows, before: FeedPlace, count: number) {
    this.#read = read
    this.#count = count
    this.#rows = read(before, count)
  }

  get next(): Row | undefined {
    return this.#rows[this.#at]
  }

  /** Takes the next row, and reads more if none is left. */
  take(): void {
    const taken = this.#rows[this.#at]
    this.#at++
    // The last read returned fewer rows than requested, so there are no more.
    if (this.#at < this.#rows.length || this.#rows.length < this.#count) return
    this.#count = Math.min(2 * this.#count, READ_MAX)
    this.#rows = this.#read(taken, this.#count)
    this.#at = 0
  }
}

function newestOf(lists: readonly Ahead[]): Ahead | undefined {
  let newest: Ahead | undefined
  for (const each of lists) {
    const row = each.next
    const known = newest?.next
    if (row === undefined || (known !== undefined && !isBefore(known, row))) continue
    newest = each
  }
  return newest
}

function isBefore(a: FeedPlace, b: FeedPlace): boolean {
  return a.seq < b.seq || (a.seq === b.seq && a.leg < b.leg)
}

class Feed {
  readonly #lists: Readonly<Record<Audience, readonly ReadRows[]>>
  readonly #follows: Statement<[ProfileId, ProfileId], { follows: number }>
  readonly #trader: Statement<[number], TakerRow>
  readonly #pack: (packId: Seq) => ShownPack | null
  readonly #ofOneState: (params: FeedParams) => FeedPage

  constructor(connection: Connection) {
    const resolved = connection.prepare<[Seq, number, number], Omit<Resolved, 'what'>>(RESOLVED)
    const resolutions: ReadRows = ({ seq, leg }, count) =>
      resolved.all(seq, leg, count).map((row) => ({ ...row, what: 'RESOLVED' }))
    const trades = tradesOf(connection.prepare(TRADES))
    const pools = poolTradesOf(connection.prepare(POOL_TRADES))
    const made = packsMadeOf(connection.prepare(PACKS_MADE))
    const ended = packsEndedOf(connection.prepare(PACKS_ENDED))
    const featured = [
      tradesOf(connection.prepare(FEATURED_TRADES)),
      poolTradesOf(connection.prepare(FEATURED_POOL_TRADES)),
      packsMadeOf(connection.prepare(FEATURED_PACKS_MADE)),
      packsEndedOf(connection.prepare(FEATURED_PACKS_ENDED)),
    ]
    this.#lists = {
      all: [trades, pools, made, ended, resolutions],
      featured: [...featured, resolutions],
      following: [trades, pools, made, ended],
    }
    this.#follows = connection.prepare(FOLLOWS)
    this.#trader = connection.prepare(TAKER)
    this.#pack = packsIn(connection)
    // All lists must be read from the same state.
    this.#ofOneState = connection.transaction((params: FeedParams) => this.#page(params))
  }

  page(params: FeedParams): FeedPage {
    return this.#ofOneState(params)
  }

  #page(params: FeedParams): FeedPage {
    const { audience, before, limit, fromMs } = params
    const lists = this.#lists[audience].map((read) => new Ahead(read, before, limit + 1))
    const isShown = this.#filter(params)
    const rows: Row[] = []
    let last: FeedPlace = before
    for (let examined = 0; examined < EXAMINED_MAX; examined++) {
      const newest = newestOf(lists)
      const row = newest?.next
      if (newest === undefined || row === undefined || row.atMs < fromMs) {
        return { entries: this.#named(rows), next: null }
      }
      if (rows.length === limit) break
      newest.take()
      last = row
      if (isShown(row)) rows.push(row)
    }
    return { entries: this.#named(rows), next: { seq: last.seq, leg: last.leg } }
  }

  #filter({ audience, follower }: FeedParams): (row: Row) => boolean {
    const stands = (row: Row) => row.what !== 'TRADE' || !row.isBusted
    if (audience !== 'following') return stands
    const known = new Map<ProfileId, boolean>()
    return (row) => {
      if (row.what === 'RESOLVED' || !stands(row)) return false
      const { owner } = row
      const follows = known.get(owner) ?? this.#follows.get(follower, owner) !== undefined
      known.set(owner, follows)
      return follows
    }
  }

  #named(rows: readonly Row[]): FeedEntry[] {
    const traders = new Map<ProfileId, TakerRow | null>()
    return rows.map((row): FeedEntry => {
      if (row.what === 'RESOLVED') return row
      const known = traders.get(row.owner)
      const trader = known === undefined ? (this.#trader.get(row.owner) ?? null) : known
      traders.set(row.owner, trader)
      if (row.what !== 'TRADE') {
        const pack = this.#pack(row.packId)
        assert(pack !== null, 'the row of a pack is read in the same state as its pack')
        return { ...row, trader, pack }
      }
      const { isBusted: _none, ...trade } = row
      return { ...trade, trader }
    })
  }
}

/** No other command has the seq of a trade, so its leg does not matter. */
function tradesOf(statement: Statement<[Seq, limit: number], TradeRow>): ReadRows {
  return ({ seq }, count) =>
    statement
      .all(seq, count)
      .map((row) => ({ ...row, what: 'TRADE', isBusted: row.isBusted === 1 }))
}

function poolTradesOf(statement: BeforePlace<MoveRow>): ReadRows {
  return ({ seq, leg }, count) => statement.all(seq, leg, count).map(tradeOfMove)
}

/** No other command has the seq of a new pack. */
function packsMadeOf(statement: Statement<[Seq, limit: number], PackRow>): ReadRows {
  return ({ seq }, count) => statement.all(seq, count).map((row) => ({ ...row, what: 'PACK_MADE' }))
}

function packsEndedOf(statement: BeforePlace<PackRow>): ReadRows {
  return ({ seq, leg }, count) =>
    statement.all(seq, leg, count).map((row) => ({ ...row, what: 'PACK_ENDED' }))
}

function tradeOfMove({ kind, yesRaw, noRaw, collateralRaw, ...row }: MoveRow): Row {
  return {
    ...row,
    what: 'TRADE',
    side: kind === BUY ? SIDE.BUY : SIDE.SELL,
    outcome: yesRaw === 0 ? OUTCOME.NO : OUTCOME.YES,
    sharesRaw: Math.abs(yesRaw === 0 ? noRaw : yesRaw),
    collateralRaw: Math.abs(collateralRaw),
    isBusted: false,
  }
}

/** One page of a feed, newest first. */
export const feed = query({
  name: 'feed',
  prepare: (db) => new Feed(db),
  run: (table, params: FeedParams) => table.page(params),
})
