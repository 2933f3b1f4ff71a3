import type { KnownInTables } from '../../../engine/core/decide/decide.ts'
import type { AccountId, Seq } from '../../../engine/domain/ids.ts'
import { signedHalf } from '../../follower/tables/orders.ts'
import { query } from './query.ts'

// Says whether the tables hold an order or a client order id, and which seq they show. One
// statement reads both, so that both are of one state.

const KNOWN = `
SELECT (SELECT seq FROM applied WHERE id = 1) AS seq,
  EXISTS (SELECT 1 FROM orders WHERE hash_high = ? AND hash_low = ?) AS hash,
  EXISTS (SELECT 1 FROM orders WHERE owner = ? AND client_order_id = ?) AS clientId`

export interface KnownAsk {
  readonly hashHigh: number
  readonly hashLow: number
  readonly accountId: AccountId
  /** '' for none. */
  readonly clientOrderId: string
}

/** `hash` and `clientId` are 0 or 1; `seq` is null while the tables are empty. */
interface KnownRow {
  readonly seq: Seq | null
  readonly hash: number
  readonly clientId: number
}

/** Gives what the tables hold of an order, and the seq up to which they show everything. */
export const knownInTables = query({
  name: 'knownInTables',
  isUrgent: true,
  prepare: (db) => db.prepare<[number, number, number, string], KnownRow>(KNOWN),
  run: (known, { hashHigh, hashLow, accountId, clientOrderId }: KnownAsk): KnownInTables => {
    const [high, low] = [signedHalf(hashHigh), signedHalf(hashLow)]
    const row = known.get(high, low, accountId, clientOrderId)
    return { seq: row?.seq ?? 0, hash: row?.hash === 1, clientId: row?.clientId === 1 }
  },
})
