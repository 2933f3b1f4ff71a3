import assert from 'node:assert/strict'
import type { OrderReply, TestMarket, Trader, UserOrder, Wanted } from './exchange-client.ts'

// What clients received, and what must therefore be there after a crash.

export interface SentOrder {
  readonly trader: Trader
  readonly market: TestMarket
  readonly wanted: Wanted & { readonly ticks: number; readonly clientOrderId: string }
}

interface ReportedOrder extends SentOrder {
  readonly status: string
  /** The size that the order took on arrival. */
  readonly takenRaw: number
}

/** Collateral that a fill at its own price moves for a limit order, below 0 when it pays; exact. */
function collateralRaw({ isBuy, ticks }: { isBuy: boolean; ticks: number }, sizeRaw: number) {
  return ((isBuy ? -1 : 1) * ticks * sizeRaw) / 1000
}

const isBidOf = ({ isBuy, outcome }: Wanted): boolean => isBuy === (outcome === 'yes')
const filledOf = (row: UserOrder): number => Number(row.filledSize)

export class Acknowledged {
  /** Every order whose request was begun, by its client id. */
  readonly sent = new Map<string, SentOrder>()
  readonly orders = new Map<string, ReportedOrder>()
  readonly canceled = new Set<string>()
  readonly refused = new Set<string>()
  /** What orders have open at most, by their ids: their owners reduced them. */
  readonly openMaxRaw = new Map<string, number>()
  /** Client ids of orders whose retry was refused as a duplicate. */
  readonly duplicates = new Set<string>()
  readonly deposits = new Map<Trader, number>()
  /** How many balances were compared to the unit. */
  exactBalances = 0
  readonly #madeRaw = new Map<string, number>()
  readonly #takerRaw = new Map<Trader, number>()

  /** Notes the reply to an order: what the order took, and from which makers. */
  reported(sent: SentOrder, reply: OrderReply): void {
    const { order, makerMatches, execution } = reply
    const { trader, wanted } = sent
    let takenRaw = 0
    for (const { orderId, matchedSize } of makerMatches) {
      takenRaw += Number(matchedSize)
      this.#madeRaw.set(orderId, (this.#madeRaw.get(orderId) ?? 0) + Number(matchedSize))
    }
    assert.equal(execution.totalsRaw.contractsGross, String(takenRaw), 'the matches add up')
    const movedRaw = wanted.isBuy
      ? -Number(execution.totalsRaw.usdGross)
      : Number(execution.totalsRaw.usdNet)
    this.#takerRaw.set(trader, (this.#takerRaw.get(trader) ?? 0) + movedRaw)
    this.orders.set(order.id, { ...sent, status: order.status, takenRaw })
    for (const orderId of execution.stpMakerCancels ?? []) this.canceled.add(orderId)
  }

  /** The rows of one trader in one market must show everything that its replies stated. */
  checkOrders(trader: Trader, market: TestMarket, rows: ReadonlyMap<string, UserOrder>): void {
    for (const [id, reported] of this.orders) {
      if (reported.trader !== trader || reported.market !== market) continue
      const row = rows.get(id)
      assert.ok(row !== undefined, `acknowledged order ${id} is lost`)
      this.#checkOrder(id, reported, row)
    }
    const there = new Set([...rows.values()].map((row) => row.clientOrderId))
    for (const id of this.duplicates) {
      const sent = this.sent.get(id)
      if (sent?.trader !== trader || sent.market !== market) continue
      assert.ok(there.has(id), `order ${id} was called a duplicate and is missing`)
    }
    for (const row of rows.values()) {
      const clientOrderId = row.clientOrderId ?? ''
      assert.ok(this.sent.has(clientOrderId), `order ${row.id} was never sent`)
      assert.ok(!this.refused.has(clientOrderId), `order ${row.id} was refused`)
    }
  }

  #checkOrder(
    id: string,
    { wanted, market, takenRaw, status }: ReportedOrder,
    row: UserOrder,
  ): void {
    const { side, token, type, price, originalSize, clientOrderId } = row
    assert.deepEqual(
      { side, token, type, price, originalSize, clientOrderId },
      {
        side: wanted.isBuy ? 'BUY' : 'SELL',
        token: market.tokens[wanted.outcome],
        type: wanted.type,
        price: wanted.ticks / 1000,
        originalSize: String(wanted.sizeRaw),
        clientOrderId: wanted.clientOrderId,
      },
    )
    const filledRaw = takenRaw + (this.#madeRaw.get(id) ?? 0)
    assert.ok(filledOf(row) >= filledRaw, `an acknowledged fill of order ${id} is lost`)
    const openMaxRaw = this.openMaxRaw.get(id) ?? Number.POSITIVE_INFINITY
    assert.ok(Number(row.remainingSize) <= openMaxRaw, `the decrease of order ${id} is lost`)
    if (status !== 'LIVE') {
      assert.deepEqual([row.status, filledOf(row)], [status, takenRaw], `order ${id} has ended`)
    } else if (this.canceled.has(id)) {
      assert.equal(row.status, 'CANCELED', `the acknowledged cancel of order ${id} is lost`)
    } else if (filledRaw === wanted.sizeRaw) {
      assert.equal(row.status, 'MATCHED', `order ${id} was filled`)
    }
  }

  /** No fill is half there: in every market the bids and the asks of the YES ladder fill alike. */
  checkBothSides(rows: Iterable<UserOrder>): void {
    let bidRaw = 0
    let askRaw = 0
    for (const row of rows) {
      const wanted = this.sent.get(row.clientOrderId ?? '')?.wanted
      assert.ok(wanted !== undefined, 'a row belongs to an order that was sent')
      if (isBidOf(wanted)) bidRaw += filledOf(row)
      else askRaw += filledOf(row)
    }
    assert.equal(bidRaw, askRaw, 'each fill has two sides')
  }

  /** `rows` are all orders of the trader; exact when each of their fills was acknowledged. */
  checkBalances(
    trader: Trader,
    rows: readonly UserOrder[],
    balances: { readonly freeRaw: number; readonly reservedRaw: number },
  ): void {
    const { freeRaw, reservedRaw } = balances
    let expectedReservedRaw = 0
    let madeRaw = 0
    let isExact = true
    for (const row of rows) {
      const wanted = this.sent.get(row.clientOrderId ?? '')?.wanted
      assert.ok(wanted !== undefined, 'a row belongs to an order that was sent')
      if (row.status === 'LIVE' && wanted.isBuy) {
        expectedReservedRaw -= collateralRaw(wanted, Number(row.remainingSize))
      }
      const asMakerRaw = this.#madeRaw.get(row.id) ?? 0
      const takenRaw = this.orders.get(row.id)?.takenRaw ?? 0
      if (asMakerRaw + takenRaw !== filledOf(row)) isExact = false
      madeRaw += collateralRaw(wanted, asMakerRaw)
    }
    assert.equal(reservedRaw, expectedReservedRaw, 'open buys need all that is reserved')
    assert.ok(freeRaw >= 0)
    if (!isExact) return
    const movedRaw = (this.#takerRaw.get(trader) ?? 0) + madeRaw
    const depositRaw = this.deposits.get(trader) ?? 0
    assert.equal(freeRaw + reservedRaw, depositRaw + movedRaw, 'the acknowledged fills are paid')
    this.exactBalances++
  }
}
