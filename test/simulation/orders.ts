// The orders of a simulated world: rows of the workload, changed into every other kind of order.

import { orderOf } from '../../bench/workload/workload-order.ts'
import type { PlaceOrder } from '../../engine/domain/command.ts'
import { kindOf, takesOrders } from '../../engine/domain/markets/market.ts'
import { ORDER_TYPES, SIDE } from '../../engine/domain/order.ts'
import type {
  PublishedMarket,
  PublishedMarkets,
} from '../../server/exchange/read-model/published.ts'
import type { SlowToken } from '../support/reference-book.ts'
import type { Model } from './model.ts'
import type { Script, Step } from './script.ts'

const TICKS_MAX = 999
/** One order in so many is sent even when it cannot be accepted. */
const CARELESS = 12
/** One order in so many goes to the newest slot, or else few slots would have two sides. */
const SLOTTED = 5
export const TOKENS: readonly SlowToken[] = ['yes', 'no']
const FOK = ORDER_TYPES.indexOf('FOK')
const FAK = ORDER_TYPES.indexOf('FAK')

/** The newest market of a track; market ids alternate between the tracks. */
export function marketOfTrack(track: number, tracks: number, markets: number): number {
  return markets - ((markets - track) % tracks)
}

function takesOrdersNow({ market, status }: PublishedMarket): boolean {
  return takesOrders(status) && kindOf(market) === 'clob'
}

export class Orders {
  readonly #script: Script
  readonly #model: Model
  readonly #published: PublishedMarkets

  /** The orders go to published markets, the ones that clients know. */
  constructor(script: Script, model: Model, published: PublishedMarkets) {
    this.#script = script
    this.#model = model
    this.#published = published
  }

  /** The row as the workload has it, or for another account, under its own hash. */
  plain(row: number, hash: number, accountId?: number): PlaceOrder {
    const { work } = this.#script
    const order = orderOf(work, row, hash)
    order.accountId = accountId ?? order.accountId
    order.marketId = this.#marketOf(work.book[row], hash)
    order.book = this.#model.markets[order.marketId - 1].book
    order.orderGroup = this.#groupFor(order.accountId, hash)
    if (hash % CARELESS !== 0) this.#afford(order)
    return order
  }

  /** Half of the orders of an owner of groups join one; careless ones join any. */
  #groupFor(accountId: number, hash: number): number {
    const { orderGroups } = this.#model
    const groups = hash % CARELESS === 0 ? orderGroups.ids : orderGroups.joinable(accountId)
    return hash % 2 === 0 ? (groups[hash % 7] ?? 0) : 0
  }

  /** The tracks are the newest markets that take orders. Some clients do not look at the status. */
  #marketOf(track: number, hash: number): number {
    const published = this.#published
    const { tracks } = this.#script.setting
    const newest = marketOfTrack(track, tracks, published.lastId)
    // A group has no tokens, so no order can be for it.
    if (hash % CARELESS === 0 && this.#model.markets[newest - 1].kind !== 'group') return newest
    const open = published.all().filter(takesOrdersNow)
    const slots = hash % SLOTTED === 1 ? open.filter(({ market }) => market.slot !== undefined) : []
    const chosen = slots.length > 0 ? slots.slice(-1) : open.slice(-tracks)
    return chosen[track % chosen.length]?.market.marketId ?? 1
  }

  /** A seller without shares buys the other outcome instead, on the same side of the ladder. */
  #afford(order: PlaceOrder): void {
    if (order.side === SIDE.BUY) return
    const { accountId, marketId, outcome, sizeRaw } = order
    const { free } = this.#model.slow.shares(accountId, marketId, TOKENS[outcome])
    if (free >= BigInt(sizeRaw)) return
    order.side = SIDE.BUY
    order.outcome = 1 - outcome
    order.priceTicks = 1000 - order.priceTicks
  }

  /** Gives the order another type and policy, and a price that reaches further. */
  typed(order: PlaceOrder, [kind, policy]: Step['dice']): void {
    order.orderType = kind < 0.5 ? FOK : FAK
    order.postOnly = false
    order.stp = Math.floor(policy * 3)
    this.reach(order, 40)
  }

  /** The market form; half of the sizes are not whole steps. */
  market(order: PlaceOrder, [odd, policy]: Step['dice']): void {
    const sizeRaw = odd < 0.5 ? order.sizeRaw : order.sizeRaw - Math.ceil(odd * 999)
    order.orderType = FOK
    order.marketForm = true
    order.postOnly = false
    order.stp = Math.floor(policy * 3)
    order.priceTicks = 0
    order.spendRaw = order.side === SIDE.BUY ? Math.ceil(sizeRaw / 2) : 0
    order.sizeRaw = order.side === SIDE.BUY ? 0 : sizeRaw
  }

  /** Spends or sells all that is free in the account, or one unit more. */
  exact(order: PlaceOrder, [more, form]: Step['dice']): void {
    const { accountId, marketId, outcome } = order
    const { slow } = this.#model
    const sells = order.side === SIDE.SELL
    const purse = sells ? slow.shares(accountId, marketId, TOKENS[outcome]) : slow.cash(accountId)
    const freeRaw = Math.min(Number(purse.free), 10 ** 13) + (more < 0.4 ? 1 : 0)
    if (freeRaw <= 0) return
    if (form < 0.6) {
      this.market(order, [0, form])
      if (sells) order.sizeRaw = freeRaw
      else order.spendRaw = freeRaw
      return
    }
    const priceTicks = sells ? order.priceTicks : 1 + Math.floor(form * 10)
    order.priceTicks = priceTicks
    const steps = sells ? Math.ceil(freeRaw / 1000) : Math.ceil(freeRaw / priceTicks)
    order.sizeRaw = Math.min(steps * 1000, 10 ** 13)
  }

  /** Makes the order post-only, at a price across the book. */
  crossing(order: PlaceOrder): void {
    order.orderType = 0
    order.postOnly = true
    this.reach(order, 150)
  }

  /** Moves an order's price towards the other side; backwards when negative. */
  reach(order: PlaceOrder, ticks: number): void {
    const wanted = order.priceTicks + (order.side === SIDE.BUY ? ticks : -ticks)
    order.priceTicks = Math.max(1, Math.min(TICKS_MAX, wanted))
  }

  /** Sales of all that the main accounts hold of an old market, all at one price. */
  unwinding(row: number, index: number, dice: number): PlaceOrder[] {
    const { slow, markets } = this.#model
    const { accounts, tracks } = this.#script.setting
    const published = this.#published
    const old = published.all().filter(({ market: { marketId }, status }) => {
      const isOld = takesOrders(status) && marketId <= published.lastId - tracks
      return isOld && slow.inside(marketId) > 0n
    })
    const marketId = old[Math.floor(dice * old.length)]?.market.marketId
    if (marketId === undefined) return []
    const { book } = markets[marketId - 1]
    const sales: PlaceOrder[] = []
    for (let account = 1; account <= accounts; account++) {
      for (const outcome of [0, 1]) {
        const freeRaw = Number(slow.shares(account, marketId, TOKENS[outcome]).free)
        if (freeRaw < 1000) continue
        const order = this.plain(row, 2 ** 31 + index * 64 + sales.length, account)
        const terms = { marketId, book, outcome, side: SIDE.SELL, orderType: 0, postOnly: false }
        Object.assign(order, { ...terms, priceTicks: 500, sizeRaw: freeRaw - (freeRaw % 1000) })
        sales.push(order)
      }
    }
    return sales
  }
}
