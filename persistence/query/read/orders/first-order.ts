import type { AccountId, Seq } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { hashName } from '../../../follower/tables/accounts/names.ts'
import { SELF_TRADE_REASON, signedHalf } from '../../../follower/tables/orders/orders.ts'
import type { Records } from '../../../journal/journal-records.ts'
import { query } from '../query.ts'
import { type Settlement, Settlements } from '../settlements.ts'
import {
  MAKERS,
  type MakerOfTrade,
  type OrderAt,
  OWN_MAKERS,
  STATUS_COLUMNS,
  type StatusRow,
} from './order-status.ts'
import { type Signed, SignedOrders } from './signed-orders.ts'
import { NamedOrders, OrderFinder } from './user-orders.ts'

// An order that a client sends again, as of its arrival. Its first reply is rebuilt from it, so
// replies need not be stored (rules §4.5).

const COLUMNS = `${STATUS_COLUMNS}, held_until_ms AS heldUntilMs,
hash_high AS hashHigh, hash_low AS hashLow, coalesce(placed_raw, size_raw) AS placedRaw`
const TRADE = `
SELECT shares_raw AS sharesRaw, collateral_raw AS collateralRaw, fee_raw AS feeRaw
FROM trades WHERE seq = ?`

export interface FirstOrderParams {
  readonly accountId: AccountId
  readonly hashHigh: number
  readonly hashLow: number
  /** Used if no order has the hash; '' = none. */
  readonly clientOrderId: string
  readonly makersMax: number
}

export interface FirstRow extends StatusRow {
  /** When the taker delay of its arrival ended; null if the order was not held. */
  readonly heldUntilMs: number | null
  readonly hashHigh: number
  readonly hashLow: number
  /** Shares that were placed: a replacement may have been placed with fewer than it has signed. */
  readonly placedRaw: number
}

interface TradeRow {
  readonly sharesRaw: number
  readonly collateralRaw: number
  readonly feeRaw: number
}

export interface FirstOrder {
  readonly order: Signed<FirstRow>
  /** The trade of its arrival; null if it did not trade. */
  readonly trade:
    | (TradeRow & { readonly makers: readonly MakerOfTrade[]; readonly settlement: Settlement })
    | null
  /** Whether self-trade prevention stopped it on arrival. */
  readonly isStopped: boolean
  /** The owner's makers that self-trade prevention canceled for its arrival. */
  readonly ownMakers: readonly OrderAt[]
}

class FirstOrders {
  readonly #orders: OrderFinder<FirstRow>
  readonly #order: Statement<[Seq], FirstRow>
  readonly #named: NamedOrders
  readonly #trade: Statement<[Seq], TradeRow>
  readonly #makers: Statement<[Seq, number], MakerOfTrade>
  readonly #ownMakers: Statement<[Seq, number], OrderAt>
  readonly #settlements: Settlements
  readonly #signed: SignedOrders
  readonly ofOneState: (params: FirstOrderParams) => FirstOrder | null

  constructor(connection: Connection, records: Records) {
    this.#orders = new OrderFinder(connection, COLUMNS)
    this.#order = connection.prepare(`SELECT ${COLUMNS} FROM orders o WHERE placed_seq = ?`)
    this.#named = new NamedOrders(connection)
    this.#trade = connection.prepare(TRADE)
    this.#makers = connection.prepare(MAKERS)
    this.#ownMakers = connection.prepare(OWN_MAKERS)
    this.#settlements = new Settlements(connection)
    this.#signed = new SignedOrders(records)
    this.ofOneState = connection.transaction((params: FirstOrderParams) => this.#find(params))
  }

  #find(params: FirstOrderParams): FirstOrder | null {
    const { accountId, clientOrderId, makersMax } = params
    const byClientId = () =>
      clientOrderId === '' ? null : this.#orders.byClientId(accountId, clientOrderId)
    const order = this.#byHash(params) ?? byClientId()
    if (order === null || order.accountId !== accountId) return null
    // A held order trades when it is released, not when it arrives.
    const { placedSeq } = order
    const isHeld = order.heldUntilMs !== null
    const trade = isHeld ? undefined : this.#trade.get(placedSeq)
    return {
      order: this.#signed.of(order),
      trade:
        trade === undefined
          ? null
          : {
              ...trade,
              makers: this.#makers.all(placedSeq, makersMax),
              settlement: this.#settlements.of(placedSeq),
            },
      isStopped: !isHeld && order.cancelReason === SELF_TRADE_REASON.TAKER,
      ownMakers: isHeld ? [] : this.#ownMakers.all(placedSeq, makersMax),
    }
  }

  #byHash({ hashHigh, hashLow }: FirstOrderParams): FirstRow | null {
    const [high, low] = [signedHalf(hashHigh), signedHalf(hashLow)]
    return this.#named.newest(hashName(high, low), (placedSeq) => {
      const row = this.#order.get(placedSeq)
      return row?.hashHigh === high && row.hashLow === low ? row : undefined
    })
  }
}

/** The account's order with this hash or client id; null if there is none. */
export const firstOrder = query({
  name: 'firstOrder',
  prepare: (db, records) => new FirstOrders(db, records),
  run: (orders, params: FirstOrderParams): FirstOrder | null => orders.ofOneState(params),
  rests: ({ accountId }) => ({ owner: accountId }),
})
