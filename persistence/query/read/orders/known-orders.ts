import type { KnownInTables } from '../../../../engine/core/decide/decide.ts'
import type { AccountId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { clientIdName, hashName } from '../../../follower/tables/accounts/names.ts'
import { signedHalf } from '../../../follower/tables/orders/orders.ts'
import { query } from '../query.ts'
import { NamedOrders } from './user-orders.ts'

// Looks up whether the tables have an order or a client order id that is remembered, and their seq.
// One transaction reads both, so both are from the same state. An order is remembered if it is not
// older than the filters (engine/core/orders/seen-filters.ts), or lives.

const APPLIED = 'SELECT seq FROM applied WHERE id = 1'
const KEYS = `
SELECT owner, client_order_id AS clientOrderId, hash_high AS hashHigh, hash_low AS hashLow,
  ended_ms IS NULL AS isLive
FROM orders WHERE placed_seq = ?`

export interface KnownRequest {
  readonly hashHigh: number
  readonly hashLow: number
  readonly accountId: AccountId
  /** '' = none. */
  readonly clientOrderId: string
  /** Ended orders that are older are not looked for. */
  readonly oldestSeq: Seq
}

interface KeysRow {
  readonly owner: AccountId
  readonly clientOrderId: string | null
  readonly hashHigh: number
  readonly hashLow: number
  readonly isLive: 0 | 1
}

class KnownOrders {
  readonly #applied: Statement<[], { seq: Seq }>
  readonly #keys: Statement<[Seq], KeysRow>
  readonly #named: NamedOrders
  readonly ofOneState: (params: KnownRequest) => KnownInTables

  constructor(connection: Connection) {
    this.#applied = connection.prepare(APPLIED)
    this.#keys = connection.prepare(KEYS)
    this.#named = new NamedOrders(connection)
    this.ofOneState = connection.transaction((params: KnownRequest) => this.#look(params))
  }

  #look(params: KnownRequest): KnownInTables {
    const { hashHigh, hashLow, accountId, clientOrderId, oldestSeq } = params
    const [high, low] = [signedHalf(hashHigh), signedHalf(hashLow)]
    const hash = this.#has(hashName(high, low), oldestSeq, (keys) => {
      return keys.hashHigh === high && keys.hashLow === low
    })
    const named = clientOrderId !== ''
    const clientId =
      named &&
      this.#has(clientIdName(accountId, clientOrderId), oldestSeq, (keys) => {
        return keys.owner === accountId && keys.clientOrderId === clientOrderId
      })
    return { seq: this.#applied.get()?.seq ?? 0, hash, clientId }
  }

  #has(name: number, oldestSeq: Seq, isIt: (keys: KeysRow) => boolean): boolean {
    // A hash or client id comes again only after its order has ended, so the newest one decides.
    const found = this.#named.newest(name, (placedSeq) => {
      const keys = this.#keys.get(placedSeq)
      if (keys === undefined || !isIt(keys)) return undefined
      return placedSeq >= oldestSeq || keys.isLive === 1
    })
    return found === true
  }
}

/** The tables' data of an order, and the seq up to which they are complete. */
export const knownInTables = query({
  name: 'knownInTables',
  isUrgent: true,
  prepare: (db) => new KnownOrders(db),
  run: (known, params: KnownRequest): KnownInTables => known.ofOneState(params),
})
