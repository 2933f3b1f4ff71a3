// How many bytes the tables of read.db were given since the start.

import { DAY_MS } from '../../engine/domain/units.ts'
import {
  COUNTED_TABLES,
  type CountedTable,
  type WrittenRows,
} from '../../persistence/follower/tables/written-rows.ts'
import type { QueryHandle } from '../../persistence/query/query-handle.ts'
import { rowBytes } from '../../persistence/query/read/row-bytes.ts'

/** A new size is of little use: it differs by a few bytes. */
const MEASURED_FOR_MS = DAY_MS

interface Measured {
  readonly bytes: number
  readonly ms: number
}

export class WrittenBytes {
  readonly #written: WrittenRows
  readonly #query: QueryHandle
  readonly #sizes = new Map<CountedTable, Measured>()

  constructor(written: WrittenRows, query: QueryHandle) {
    this.#written = written
    this.#query = query
  }

  /** Bytes of each table, by its name. */
  async now(): Promise<Readonly<Record<string, number>>> {
    const bytes: Record<string, number> = {}
    for (const table of COUNTED_TABLES) {
      const rows = this.#written.of(table)
      // A table that nothing was written to is not worth a query.
      bytes[table] = rows === 0 ? 0 : rows * (await this.#rowBytes(table))
    }
    return bytes
  }

  async #rowBytes(table: CountedTable): Promise<number> {
    const nowMs = performance.now()
    const known = this.#sizes.get(table)
    if (known !== undefined && nowMs - known.ms < MEASURED_FOR_MS) return known.bytes
    const bytes = (await this.#query.request(rowBytes, table)) ?? known?.bytes ?? 0
    if (bytes > 0) this.#sizes.set(table, { bytes, ms: nowMs })
    return bytes
  }
}
