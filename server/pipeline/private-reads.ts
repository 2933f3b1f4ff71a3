// Reads of what one profile owns, from the tables the follower writes. Each waits until the
// tables show the newest seq that was released to anyone when it came (design §4).

import { LIMITS } from '../../engine/domain/limits.ts'
import type { FollowerHandle } from '../../persistence/follower-handle.ts'
import type { QueryHandle } from '../../persistence/query-handle.ts'
import type { OrderStatus, OrderStatusAsk } from '../../persistence/read/order-status.ts'
import type { PositionRow, PositionsAsk } from '../../persistence/read/positions.ts'
import type { NewestTrade, Settlement } from '../../persistence/read/settlements.ts'
import type { TradeParts, TradePartsAsk } from '../../persistence/read/trade-parts.ts'
import type { OrderRow, UserOrdersAsk } from '../../persistence/read/user-orders.ts'
import type { Pipeline } from './pipeline.ts'
import type { OrderName } from './sequencer.ts'

export class PrivateReads {
  readonly #pipeline: Pipeline
  readonly #follower: FollowerHandle
  readonly #query: QueryHandle
  /** Those that were asked for. */
  readonly #traders = new Set<number>()

  constructor(pipeline: Pipeline, follower: FollowerHandle, query: QueryHandle) {
    this.#pipeline = pipeline
    this.#follower = follower
    this.#query = query
  }

  /** Newest first; undefined when the tables did not catch up in time. */
  async userOrders(ask: UserOrdersAsk): Promise<readonly OrderRow[] | undefined> {
    return (await this.#caughtUp()) ? this.#query.userOrders(ask) : undefined
  }

  /** The order that ever had this name; null for none, undefined for no answer in time. */
  async order(name: OrderName): Promise<OrderRow | null | undefined> {
    if (!(await this.#caughtUp())) return undefined
    return this.#query.orderBySlot(name.slot, name.generation)
  }

  /** The order that ever had this client id; null for none, undefined for no answer in time. */
  async orderByClientId(
    profileId: number,
    clientOrderId: string,
  ): Promise<OrderRow | null | undefined> {
    if (!(await this.#caughtUp())) return undefined
    return this.#query.orderByClientId(profileId, clientOrderId)
  }

  /** In the order of the names, null for none; undefined for no answer in time. */
  async orderStatuses(ask: OrderStatusAsk): Promise<readonly (OrderStatus | null)[] | undefined> {
    return (await this.#caughtUp()) ? this.#query.orderStatuses(ask) : undefined
  }

  /** Undefined for no answer in time. Who traded once has traded for ever. */
  async hasTraded(profileId: number): Promise<boolean | undefined> {
    if (this.#traders.has(profileId)) return true
    if (!(await this.#caughtUp())) return undefined
    const hasTraded = await this.#query.hasTraded(profileId)
    if (hasTraded === true) this.#traders.add(profileId)
    return hasTraded
  }

  /** What became of a trade on the chain; undefined for no answer in time. */
  async settlementOf(tradeSeq: number): Promise<Settlement | undefined> {
    return (await this.#caughtUp()) ? this.#query.settlementOf(tradeSeq) : undefined
  }

  /** Newest first; undefined for no answer in time. */
  async newestTrades(limit: number): Promise<readonly NewestTrade[] | undefined> {
    return (await this.#caughtUp()) ? this.#query.newestTrades(limit) : undefined
  }

  /** In the order of the seqs; undefined for no answer in time. */
  async tradeParts(ask: TradePartsAsk): Promise<readonly TradeParts[] | undefined> {
    return (await this.#caughtUp()) ? this.#query.tradeParts(ask) : undefined
  }

  /** In the order of the markets, YES before NO; undefined for no answer in time. */
  async positions(ask: PositionsAsk): Promise<readonly PositionRow[] | undefined> {
    return (await this.#caughtUp()) ? this.#query.positions(ask) : undefined
  }

  #caughtUp(): Promise<boolean> {
    return this.#follower.whenApplied(this.#pipeline.durableSeq, LIMITS.privateReadDeadlineMs)
  }
}
