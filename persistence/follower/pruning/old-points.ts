import type { MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import { DAY_MS, HOUR_MS, type TimeMs } from '../../../engine/domain/units.ts'
import type { Connection } from '../../database.ts'
import type { HistoryFloor } from './history-floor.ts'
import { ROWS, removeRows } from './remove-rows.ts'

// Deletes old points of charts, old days of rewards, resolutions and ended packs. The newest point
// before the history stays, because the points after it count from it.

/** The longest span of boards and of charts that begin at a given time; one more for both ends. */
const SPAN_MS = 31 * DAY_MS

const PASS = 'SELECT hour FROM board_passes WHERE id = 1'
const OLD_HOURS = `
SELECT hour, owner FROM pnl_hours WHERE (hour, owner) > (?, ?) AND hour < ?
ORDER BY hour, owner LIMIT ${ROWS}`
const DELETE_HOUR = `
DELETE FROM pnl_hours WHERE owner = @owner AND hour = @hour AND EXISTS (
  SELECT 1 FROM pnl_hours l WHERE l.owner = @owner AND l.hour > @hour AND l.hour < @end)`

const NEXT_POOL = `
SELECT market_id AS marketId FROM pool_prices WHERE market_id > ? ORDER BY market_id LIMIT 1`
const OLD_PRICES = `
SELECT traded_ms AS tradedMs, seq FROM pool_prices WHERE market_id = ? AND traded_ms < ?
ORDER BY traded_ms, seq LIMIT ${ROWS + 1}`
const DELETE_PRICE = 'DELETE FROM pool_prices WHERE market_id = ? AND traded_ms = ? AND seq = ?'

const OLD_DAYS = `
SELECT owner, market_id AS marketId, day FROM reward_days WHERE day < ? ORDER BY day LIMIT ${ROWS}`
const DELETE_DAY = 'DELETE FROM reward_days WHERE owner = ? AND market_id = ? AND day = ?'

const NEXT_CANDLES = `
SELECT symbol, interval_ms AS intervalMs FROM oracle_candles WHERE (symbol, interval_ms) > (?, ?)
ORDER BY symbol, interval_ms LIMIT 1`
const OLD_CANDLES = `
SELECT start_ms AS startMs FROM oracle_candles
WHERE symbol = ? AND interval_ms = ? AND start_ms < ? ORDER BY start_ms LIMIT ${ROWS}`
const DELETE_CANDLE = `
DELETE FROM oracle_candles WHERE symbol = ? AND interval_ms = ? AND start_ms = ?`

const OLD_RESOLUTIONS = `
SELECT seq, market_id AS marketId FROM resolutions WHERE seq <= ? ORDER BY seq LIMIT ${ROWS}`
const DELETE_RESOLUTION = 'DELETE FROM resolutions WHERE seq = ? AND market_id = ?'

const OLD_PACKS = `
SELECT pack_id AS packId, owner, status, curated_id IS NOT NULL AS isOfList FROM packs
WHERE ended_seq IS NOT NULL AND ended_seq <= ? ORDER BY ended_seq, pack_id LIMIT ${ROWS}`
const DELETE_LEGS = 'DELETE FROM pack_legs WHERE pack_id = ?'
const DELETE_PACK = 'DELETE FROM packs WHERE pack_id = ?'
const COUNT_PACK = 'UPDATE pack_counts SET count = count - 1 WHERE owner = ? AND status = ?'
const COUNT_OF_LIST = 'UPDATE curated_counts SET count = count - 1 WHERE owner = ?'

/** The points before a time go, and the packs and resolutions up to a command. */
type Floor = Pick<HistoryFloor, 'endedBeforeMs' | 'seq'>

interface OldPack {
  readonly packId: Seq
  readonly owner: ProfileId
  /** Index of PACK_STATUSES. */
  readonly status: number
  readonly isOfList: number
}

export class OldPoints {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  *forget({ endedBeforeMs: ms, seq }: Floor, nowMs: TimeMs): Generator<undefined, void> {
    const shownMs = Math.min(ms, nowMs - SPAN_MS)
    yield* this.#hours(shownMs)
    yield* this.#poolPrices(ms)
    yield* this.#rewardDays(shownMs)
    yield* this.#candles(ms)
    yield* this.#resolutions(seq)
    yield* this.#packs(seq)
  }

  /** Boards that were not counted for long still need the hours that they have not seen. */
  *#hours(ms: TimeMs): Generator<undefined, void> {
    const old = this.#connection.prepare<
      [hour: number, ProfileId, end: number],
      { hour: number; owner: ProfileId }
    >(OLD_HOURS)
    const remove = this.#connection.prepare(DELETE_HOUR)
    const counted = this.#connection.prepare<[], { hour: number }>(PASS).get()
    if (counted === undefined) return
    const end = Math.floor(Math.min(ms, counted.hour * HOUR_MS - SPAN_MS) / HOUR_MS)
    let last = { hour: 0, owner: 0 }
    yield* removeRows(
      () => old.all(last.hour, last.owner, end),
      (row) => {
        remove.run({ ...row, end })
        last = row
      },
    )
  }

  *#poolPrices(ms: TimeMs): Generator<undefined, void> {
    const next = this.#connection.prepare<[MarketId], { marketId: MarketId }>(NEXT_POOL)
    const old = this.#connection.prepare<[MarketId, TimeMs], { tradedMs: TimeMs; seq: Seq }>(
      OLD_PRICES,
    )
    const remove = this.#connection.prepare<[MarketId, TimeMs, Seq]>(DELETE_PRICE)
    for (let row = next.get(0); row !== undefined; row = next.get(row.marketId)) {
      const { marketId } = row
      for (;;) {
        const prices = old.all(marketId, ms)
        for (const { tradedMs, seq } of prices.slice(0, -1)) remove.run(marketId, tradedMs, seq)
        yield
        if (prices.length <= ROWS) break
      }
    }
  }

  *#rewardDays(ms: TimeMs): Generator<undefined, void> {
    type Day = { owner: ProfileId; marketId: MarketId; day: number }
    const old = this.#connection.prepare<[day: number], Day>(OLD_DAYS)
    const remove = this.#connection.prepare<[ProfileId, MarketId, day: number]>(DELETE_DAY)
    yield* removeRows(
      () => old.all(Math.floor(ms / DAY_MS)),
      ({ owner, marketId, day }) => remove.run(owner, marketId, day),
    )
  }

  *#candles(ms: TimeMs): Generator<undefined, void> {
    type Kind = { symbol: string; intervalMs: number }
    const next = this.#connection.prepare<[symbol: string, intervalMs: number], Kind>(NEXT_CANDLES)
    const old = this.#connection.prepare<[string, number, TimeMs], { startMs: TimeMs }>(OLD_CANDLES)
    const remove = this.#connection.prepare<[string, number, TimeMs]>(DELETE_CANDLE)
    let kind = next.get('', 0)
    for (; kind !== undefined; kind = next.get(kind.symbol, kind.intervalMs)) {
      const { symbol, intervalMs } = kind
      yield* removeRows(
        () => old.all(symbol, intervalMs, ms),
        ({ startMs }) => remove.run(symbol, intervalMs, startMs),
      )
      yield
    }
  }

  *#resolutions(throughSeq: Seq): Generator<undefined, void> {
    const old = this.#connection.prepare<[Seq], { seq: Seq; marketId: MarketId }>(OLD_RESOLUTIONS)
    const remove = this.#connection.prepare<[Seq, MarketId]>(DELETE_RESOLUTION)
    yield* removeRows(
      () => old.all(throughSeq),
      ({ seq, marketId }) => remove.run(seq, marketId),
    )
  }

  /** The counts of a profile's packs are those of its pages. */
  *#packs(seq: Seq): Generator<undefined, void> {
    const old = this.#connection.prepare<[Seq], OldPack>(OLD_PACKS)
    const removeLegs = this.#connection.prepare<[Seq]>(DELETE_LEGS)
    const remove = this.#connection.prepare<[Seq]>(DELETE_PACK)
    const count = this.#connection.prepare<[ProfileId, status: number]>(COUNT_PACK)
    const countOfList = this.#connection.prepare<[ProfileId]>(COUNT_OF_LIST)
    yield* removeRows(
      () => old.all(seq),
      ({ packId, owner, status, isOfList }) => {
        removeLegs.run(packId)
        remove.run(packId)
        count.run(owner, status)
        if (isOfList === 1) countOfList.run(owner)
      },
    )
  }
}
