import type { Connection, Statement } from '../../database.ts'

// Whether the tables hold an order or a client order id, and up to which seq they would: one
// statement, so that both are of one state.

const HELD = `
SELECT (SELECT seq FROM applied WHERE id = 1) AS seq,
  EXISTS (SELECT 1 FROM orders WHERE hash_high = ? AND hash_low = ?) AS hash,
  EXISTS (SELECT 1 FROM orders WHERE owner = ? AND client_order_id = ?) AS clientId`

export interface HeldAsk {
  readonly hashHigh: number
  readonly hashLow: number
  readonly accountId: number
  /** '' for none. */
  readonly clientOrderId: string
}

/** 0 or 1 each; null while the tables are empty. */
export interface HeldRow {
  readonly seq: number | null
  readonly hash: number
  readonly clientId: number
}

/** Halves of a hash as the table has them: SQLite keeps signed 32 bits in four bytes. */
export function signedHalf(half: number): number {
  return half | 0
}

export class HeldOrders {
  readonly #held: Statement<[number, number, number, string], HeldRow>

  constructor(connection: Connection) {
    this.#held = connection.prepare(HELD)
  }

  ask({ hashHigh, hashLow, accountId, clientOrderId }: HeldAsk): HeldRow {
    const [high, low] = [signedHalf(hashHigh), signedHalf(hashLow)]
    const row = this.#held.get(high, low, accountId, clientOrderId)
    return row ?? { seq: null, hash: 0, clientId: 0 }
  }
}
