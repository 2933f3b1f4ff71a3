import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { HOUR_MS } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import { MARKET_SPAN_HOURS } from '../tables/board-spans.ts'
import { PAGE_BOARD_ROWS_MAX, type ProjectionParams, type ProjectionRows } from './projection.ts'
import { BestRows } from './top-rows.ts'

// The owners with the largest realised gains in a page's markets within the last day: the sums of
// these markets' hours. The cost depends on that day's trades, not on older ones.

const OF_MARKET = `
SELECT hour, owner, pnl_raw AS pnlRaw, volume_raw AS volumeRaw FROM market_hours
WHERE market_id = ? AND (hour, owner) > (?, ?) ORDER BY hour, owner LIMIT ?`
const NEXT_MARKET = `
SELECT market_id AS marketId FROM market_hours WHERE market_id > ? ORDER BY market_id LIMIT 1`
const PAGE_ROWS = 128

interface HourRow {
  readonly hour: number
  readonly owner: ProfileId
  readonly pnlRaw: number
  readonly volumeRaw: number
}

interface Sums {
  readonly owner: ProfileId
  pnlRaw: number
  volumeRaw: number
}

export class PagePnl {
  readonly #ofMarket: Statement<[MarketId, hour: number, ProfileId, limit: number], HourRow>
  readonly #nextMarket: Statement<[MarketId], { marketId: MarketId }>

  constructor(connection: Connection) {
    this.#ofMarket = connection.prepare(OF_MARKET)
    this.#nextMarket = connection.prepare(NEXT_MARKET)
  }

  *rows({ nowMs, marketIds }: ProjectionParams): Generator<undefined, ProjectionRows> {
    const endedHour = Math.floor(nowMs / HOUR_MS) - MARKET_SPAN_HOURS
    const sums = new Map<ProfileId, Sums>()
    for (const marketId of marketIds ?? this.#traded()) {
      yield* this.#addUp(marketId, endedHour, sums)
      yield
    }
    const best = new BestRows<Sums>(
      PAGE_BOARD_ROWS_MAX,
      (one, other) =>
        other.pnlRaw - one.pnlRaw || other.volumeRaw - one.volumeRaw || one.owner - other.owner,
    )
    for (const each of sums.values()) {
      if (each.pnlRaw !== 0 || each.volumeRaw !== 0) best.add(each)
      yield
    }
    return Float64Array.from(
      best.rows.flatMap(({ owner, pnlRaw, volumeRaw }) => [owner, pnlRaw, Math.max(0, volumeRaw)]),
    )
  }

  *#traded(): Generator<MarketId, void> {
    let next = this.#nextMarket.get(0)
    while (next !== undefined) {
      yield next.marketId
      next = this.#nextMarket.get(next.marketId)
    }
  }

  *#addUp(
    marketId: MarketId,
    endedHour: number,
    sums: Map<ProfileId, Sums>,
  ): Generator<undefined, void> {
    let at = { hour: endedHour, owner: Number.MAX_SAFE_INTEGER }
    for (;;) {
      const rows = this.#ofMarket.all(marketId, at.hour, at.owner, PAGE_ROWS)
      for (const row of rows) {
        const { owner, pnlRaw, volumeRaw } = row
        const sum = sums.get(owner) ?? { owner, pnlRaw: 0, volumeRaw: 0 }
        sum.pnlRaw += pnlRaw
        sum.volumeRaw += volumeRaw
        sums.set(owner, sum)
        at = row
      }
      if (rows.length < PAGE_ROWS) return
      yield
    }
  }
}
