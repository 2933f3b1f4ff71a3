// Candles of oracle prices for every available interval, so that any range is a range of rows,
// however long the oracle has reported (rules §10.4).

import type { ControlCommand } from '../../../../engine/domain/command.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'

const MINUTE_MS = 60_000

/** Lengths of the candles. */
export const CANDLE_INTERVALS = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '1d': 1440 * MINUTE_MS,
} as const

// A report may arrive after a later one, so a candle has the times of its first and last report.
const PUT = `
INSERT INTO oracle_candles (symbol, interval_ms, start_ms, open_e8, high_e8, low_e8, close_e8,
  first_ms, last_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
  open_e8 = iif(excluded.first_ms < first_ms, excluded.open_e8, open_e8),
  close_e8 = iif(excluded.last_ms >= last_ms, excluded.close_e8, close_e8),
  high_e8 = max(high_e8, excluded.high_e8),
  low_e8 = min(low_e8, excluded.low_e8),
  first_ms = min(first_ms, excluded.first_ms),
  last_ms = max(last_ms, excluded.last_ms)`

type Row = [string, number, number, number, number, number, number, number, number]

export class OracleCandlesTable {
  readonly #put: Statement<Row>
  #rows: Row[] = []

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
  }

  reported({ symbol, atMs, priceE8 }: Extract<ControlCommand, { kind: 'reportPrice' }>): void {
    for (const lengthMs of Object.values(CANDLE_INTERVALS)) {
      const startMs = Math.floor(atMs / lengthMs) * lengthMs
      this.#rows.push([
        ...([symbol, lengthMs, startMs] as const),
        ...([priceE8, priceE8, priceE8, priceE8, atMs, atMs] as const),
      ])
    }
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#rows, pace, (row) => this.#put.run(...row))
    this.#rows = []
  }
}
