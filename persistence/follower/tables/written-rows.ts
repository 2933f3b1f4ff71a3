import { assert } from '../../../engine/domain/assert.ts'
import type { Connection } from '../../database.ts'

// Counts the rows that the follower writes, for metrics: which data fills the disk. A row that
// changes later counts again.

/** The tables that grow with trading. */
export const COUNTED_TABLES = [
  'order_terms',
  'order_states',
  'order_names',
  'order_events',
  'own_makers',
  'trades',
  'maker_fills',
  'sold_costs',
  'settlements',
  'mined_trades',
  'moves',
  'blocks',
  'candles',
  'positions',
  'pnl_hours',
  'pool_prices',
  'reward_days',
  'oracle_candles',
  'packs',
  'pack_legs',
] as const
export type CountedTable = (typeof COUNTED_TABLES)[number]

const INSERTED = /^\s*INSERT (?:OR \w+ )?INTO (\w+)/

const INDEXES = new Map<string, number>(COUNTED_TABLES.map((table, index) => [table, index]))

/** The counts of all tables, shared between threads. Only the follower adds to them. */
export function allocateCounts(): SharedArrayBuffer {
  return new SharedArrayBuffer(COUNTED_TABLES.length * Float64Array.BYTES_PER_ELEMENT)
}

export class WrittenRows {
  readonly #counts: Float64Array

  constructor(counts: SharedArrayBuffer) {
    this.#counts = new Float64Array(counts)
  }

  /** Since the start. */
  of(table: CountedTable): number {
    return this.#counts[COUNTED_TABLES.indexOf(table)]
  }

  /** The same connection; what it prepares is counted. */
  counting(connection: Connection): Connection {
    const counts = this.#counts
    return new Proxy(connection, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (name !== 'prepare') return value.bind(target)
        return (sql: string) => {
          const statement = target.prepare<unknown[]>(sql)
          const index = INDEXES.get(INSERTED.exec(sql)?.[1] ?? '')
          if (index === undefined) return statement
          const { run, get } = statement
          assert(run !== undefined && get !== undefined, 'a statement has both methods')
          statement.run = (...params) => {
            counts[index]++
            return run.apply(statement, params)
          }
          statement.get = (...params) => {
            counts[index]++
            return get.apply(statement, params)
          }
          return statement
        }
      },
    })
  }
}
