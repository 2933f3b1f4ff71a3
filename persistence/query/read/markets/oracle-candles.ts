import type { PriceE8, TimeMs } from '../../../../engine/domain/units.ts'
import { query } from '../query.ts'

// Candles of the oracle's prices (rules §10.4): a range of the primary key.

const BETWEEN = `
SELECT start_ms AS startMs, open_e8 AS openE8, high_e8 AS highE8, low_e8 AS lowE8,
  close_e8 AS closeE8
FROM oracle_candles WHERE symbol = ? AND interval_ms = ? AND start_ms BETWEEN ? AND ?
ORDER BY start_ms LIMIT ?`

export interface CandleRow {
  readonly startMs: TimeMs
  readonly openE8: PriceE8
  readonly highE8: PriceE8
  readonly lowE8: PriceE8
  readonly closeE8: PriceE8
}

export interface CandlesParams {
  readonly symbol: string
  readonly intervalMs: number
  readonly fromMs: TimeMs
  readonly toMs: TimeMs
  readonly limit: number
}

/** Candles of a symbol by ascending start. */
export const oracleCandles = query({
  name: 'oracleCandles',
  prepare: (db) => db.prepare<[string, number, number, number, number], CandleRow>(BETWEEN),
  run: (between, { symbol, intervalMs, fromMs, toMs, limit }: CandlesParams) => {
    const firstMs = Math.floor(fromMs / intervalMs) * intervalMs
    return between.all(symbol, intervalMs, firstMs, toMs, limit)
  },
})
