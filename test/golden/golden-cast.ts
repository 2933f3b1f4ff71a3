import { STATE } from '../../engine/core/orders/order-table.ts'
import { CANCEL_REASONS, type CancelReason } from '../../engine/domain/event.ts'
import type { ExchangeDriver, OrderRef } from '../support/exchange-driver.ts'
import type { Random } from '../support/random.ts'

/** The first profiles are the ones that trade. */
export const TRADERS = 7
export const MINUTE_MS = 60_000

/** What the parts of a golden flow share: the exchange, random numbers, names and open orders. */
export class GoldenCast {
  readonly driver: ExchangeDriver
  readonly random: Random
  #names = 0

  constructor(driver: ExchangeDriver, random: Random) {
    this.driver = driver
    this.random = random
  }

  get names(): number {
    return this.#names
  }

  trader(): number {
    return this.random.between(1, TRADERS)
  }

  name(what: string): string {
    return `${what} ${++this.#names}`
  }

  /** Random words as hex. */
  hex(words: number): string {
    const all = Array.from({ length: words }, () => this.random.below(2 ** 32))
    return all.map((word) => word.toString(16).padStart(8, '0')).join('')
  }

  /** Resting and held orders, of one market or one account if given. */
  open(only: { marketId?: number; account?: number } = {}): (OrderRef & { account: number })[] {
    const { orders } = this.driver.clearing
    const open: (OrderRef & { account: number })[] = []
    for (let slot = 1; slot <= orders.highSlot; slot++) {
      if (orders.stateOf(slot) === STATE.FREE) continue
      if (only.marketId !== undefined && orders.marketOf(slot) !== only.marketId) continue
      const account = orders.accountOf(slot)
      if (only.account !== undefined && account !== only.account) continue
      open.push({ slot, generation: orders.generationOf(slot), account })
    }
    return open
  }

  end(reason: CancelReason, marketId: number, orders: readonly OrderRef[]): void {
    if (orders.length === 0) return
    this.driver.cancelMany(marketId, orders, CANCEL_REASONS.indexOf(reason))
  }

  /** All orders of an account. */
  endAllOf(account: number, reason: CancelReason): void {
    for (const { marketId } of this.driver.clearing.catalogue.all()) {
      this.end(reason, marketId, this.open({ marketId, account }))
    }
  }
}
