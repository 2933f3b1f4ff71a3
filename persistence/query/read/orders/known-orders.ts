import type { KnownInTables } from '../../../../engine/core/decide/decide.ts'
import type { AccountId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { clientIdName, hashName } from '../../../follower/tables/accounts/names.ts'
import { signedHalf } from '../../../follower/tables/orders/orders.ts'
import { query } from '../query.ts'
import { NamedOrders } from './user-orders.ts'

// Looks up whether the tables have an order or a client order id, and their seq. One transaction
// reads both, so both are from the same state.

const APPLIED = 'SELECT seq FROM applied WHERE id = 1'
const KEYS = `
SELECT owner, client_order_id AS clientOrderId, hash_high AS hashHigh, hash_low AS hashLow
FROM orders WHERE placed_seq = ?`

export interface KnownRequest {
  readonly hashHigh: number
  readonly hashLow: number
  readonly accountId: AccountId
  /** '' = none. */
  readonly clientOrderId: string
}

interface KeysRow {
  readonly owner: AccountId
  readonly clientOrderId: string | null
  readonly hashHigh: number
  readonly hashLow: number
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

  #look({ hashHigh, hashLow, accountId, clientOrderId }: KnownRequest): KnownInTables {
    const [high, low] = [signedHalf(hashHigh), signedHalf(hashLow)]
    const hash = this.#has(hashName(high, low), (keys) => {
      return keys.hashHigh === high && keys.hashLow === low
    })
    const named = clientOrderId !== ''
    const clientId =
      named &&
      this.#has(clientIdName(accountId, clientOrderId), (keys) => {
        return keys.owner === accountId && keys.clientOrderId === clientOrderId
      })
    return { seq: this.#applied.get()?.seq ?? 0, hash, clientId }
  }

  #has(name: number, isIt: (keys: KeysRow) => boolean): boolean {
    const found = this.#named.newest(name, (placedSeq) => {
      const keys = this.#keys.get(placedSeq)
      return keys !== undefined && isIt(keys) ? true : undefined
    })
    return found !== null
  }
}

/** The tables' data of an order, and the seq up to which they are complete. */
export const knownInTables = query({
  name: 'knownInTables',
  isUrgent: true,
  prepare: (db) => new KnownOrders(db),
  run: (known, params: KnownRequest): KnownInTables => known.ofOneState(params),
})
