import type { AccountId, MarketId, Seq } from '../../../../engine/domain/ids.ts'
import { ORDER_STATUSES } from '../../../../engine/domain/order.ts'
import type { Connection, Statement } from '../../../database.ts'
import { listName } from '../../../follower/tables/accounts/names.ts'
import type { Records } from '../../../journal/journal-records.ts'
import { query } from '../query.ts'
import { SignedOrders } from './signed-orders.ts'
import { NamedOrders, ORDER, type OrderRow, type SignedOrderRow } from './user-orders.ts'

// A profile's orders in the markets of a match or a group, newest first. From each market only
// orders newer than the oldest one on the page so far are read.

const LIVE = ORDER_STATUSES.indexOf('LIVE')
const LIVE_SEQS = `
SELECT placed_seq AS placedSeq FROM live_orders
WHERE owner = ? AND market_id = ? AND placed_seq > ? ORDER BY placed_seq DESC LIMIT ?`

export interface MatchOrdersParams {
  readonly accountId: AccountId
  readonly marketIds: readonly MarketId[]
  readonly statuses: readonly number[]
  readonly limit: number
}

/** The newest orders added so far, and the age limit of further ones. */
class Newest {
  readonly #limit: number
  #seqs: Seq[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Only orders above it are added. */
  get aboveSeq(): Seq {
    return this.#seqs.length < this.#limit ? 0 : this.#seqs[this.#limit - 1]
  }

  add(seqs: readonly Seq[]): void {
    const all = [...this.#seqs, ...seqs].sort((a, b) => b - a)
    this.#seqs = all.slice(0, this.#limit)
  }

  /** Newest first. */
  get seqs(): readonly Seq[] {
    return this.#seqs
  }
}

class MatchOrders {
  readonly #live: Statement<[AccountId, MarketId, Seq, number], { readonly placedSeq: Seq }>
  readonly #order: Statement<[Seq], OrderRow>
  readonly #named: NamedOrders
  readonly #signed: SignedOrders
  readonly ofOneState: (params: MatchOrdersParams) => SignedOrderRow[]

  constructor(connection: Connection, records: Records) {
    this.#live = connection.prepare(LIVE_SEQS)
    this.#order = connection.prepare(ORDER)
    this.#named = new NamedOrders(connection)
    this.#signed = new SignedOrders(records)
    this.ofOneState = connection.transaction((params: MatchOrdersParams) => this.#all(params))
  }

  #all({ accountId, marketIds, statuses, limit }: MatchOrdersParams): SignedOrderRow[] {
    const newest = new Newest(limit)
    for (const status of new Set(statuses)) {
      for (const marketId of marketIds) {
        newest.add(this.#ofMarket({ accountId, marketId, status }, limit, newest.aboveSeq))
      }
    }
    return newest.seqs.flatMap((placedSeq) => {
      const row = this.#order.get(placedSeq)
      return row === undefined ? [] : [this.#signed.of(row)]
    })
  }

  #ofMarket(
    of: Pick<OrderRow, 'accountId' | 'marketId' | 'status'>,
    limit: number,
    aboveSeq: Seq,
  ): Seq[] {
    const { accountId, marketId, status } = of
    if (status === LIVE) {
      const live = this.#live.all(accountId, marketId, aboveSeq, limit)
      return live.map(({ placedSeq }) => placedSeq)
    }
    const name = listName(accountId, marketId, status)
    const rowOf = (placedSeq: Seq) => {
      const row = this.#order.get(placedSeq)
      const isOf = row?.accountId === accountId && row.marketId === marketId
      return isOf && row.status === status ? row : undefined
    }
    return this.#named.list(name, limit, rowOf, aboveSeq).map(({ placedSeq }) => placedSeq)
  }
}

/** Newest orders first, `limit` for all markets together. */
export const matchOrders = query({
  name: 'matchOrders',
  prepare: (db, records) => new MatchOrders(db, records),
  run: (orders, params: MatchOrdersParams): SignedOrderRow[] => orders.ofOneState(params),
  rests: ({ accountId }) => ({ owner: accountId }),
})
