// Reads of what one profile owns, from the tables the follower writes. Each waits until the
// tables show the newest seq that was released to anyone when it came (design §4), and then for its
// turn: profiles take turns, and none has more reads under way than its bound. The deadline runs
// from the moment it came.

import { LIMITS } from '../../engine/domain/limits.ts'
import type { FollowerHandle } from '../../persistence/follower/follower-handle.ts'
import type { QueryHandle } from '../../persistence/query/query-handle.ts'
import type { Turn } from '../../persistence/query/query-queue.ts'
import type { AuditAsk, AuditRow } from '../../persistence/query/read/audit.ts'
import type { OrderStatus, OrderStatusAsk } from '../../persistence/query/read/order-status.ts'
import type { PositionRow, PositionsAsk } from '../../persistence/query/read/positions.ts'
import type { ShownProfile } from '../../persistence/query/read/profiles.ts'
import type { NewestTrade, Settlement } from '../../persistence/query/read/settlements.ts'
import type { TradeParts, TradePartsAsk } from '../../persistence/query/read/trade-parts.ts'
import type { OrderRow, UserOrdersAsk } from '../../persistence/query/read/user-orders.ts'
import type { Call, Caller } from '../http/call.ts'
import type { EdgeFaults } from '../ops/faults.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { OrderName } from '../pipeline/spine/sequencer.ts'

/** Whose turn a read takes: a profile's, or with 0 the exchange's own. */
export interface Asker {
  readonly profileId: number
  readonly isGone?: () => boolean
}

/** The turn of who makes a call, whomever the call is for. */
export function askerOf({ caller, call }: { caller: Caller; call: Call }): Asker {
  return { profileId: caller.profileId, isGone: () => call.isGone === true }
}

interface PrivateReadParts {
  readonly follower: FollowerHandle
  readonly query: QueryHandle
  readonly faults: EdgeFaults
}

const OURSELVES: Asker = { profileId: 0 }

export class PrivateReads {
  readonly #pipeline: Pipeline
  readonly #follower: FollowerHandle
  readonly #query: QueryHandle
  readonly #faults: EdgeFaults
  /** Reads under way, of each profile that has some. */
  readonly #underWay = new Map<number, number>()

  constructor(pipeline: Pipeline, { follower, query, faults }: PrivateReadParts) {
    this.#pipeline = pipeline
    this.#follower = follower
    this.#query = query
    this.#faults = faults
  }

  /** Newest first; undefined when they were not read in time. */
  userOrders(ask: UserOrdersAsk, asker: Asker): Promise<readonly OrderRow[] | undefined> {
    return this.#read(asker, (turn) => this.#query.userOrders(ask, turn))
  }

  /** The order that ever had this name; null for none, undefined for no answer in time. */
  order(profileId: number, name: OrderName): Promise<OrderRow | null | undefined> {
    const { slot, generation } = name
    return this.#read({ profileId }, (turn) => this.#query.orderBySlot(slot, generation, turn))
  }

  /** The order that ever had this client id; null for none, undefined for no answer in time. */
  orderByClientId(profileId: number, clientOrderId: string): Promise<OrderRow | null | undefined> {
    return this.#read({ profileId }, (turn) =>
      this.#query.orderByClientId(profileId, clientOrderId, turn),
    )
  }

  /** In the order of the names, null for none; undefined for no answer in time. */
  orderStatuses(
    ask: OrderStatusAsk,
    asker: Asker,
  ): Promise<readonly (OrderStatus | null)[] | undefined> {
    return this.#read(asker, (turn) => this.#query.orderStatuses(ask, turn))
  }

  /** What the profile says of itself; null for none, undefined for no answer in time. */
  async profile(profileId: number): Promise<ShownProfile | null | undefined> {
    // It may have been made just now.
    await this.#pipeline.durable()
    return (await this.profiles([profileId], { profileId }))?.[0]
  }

  /** In the order of the ids, null for none; undefined for no answer in time. */
  profiles(
    profileIds: readonly number[],
    asker: Asker,
  ): Promise<readonly (ShownProfile | null)[] | undefined> {
    return this.#read(asker, (turn) => this.#query.profiles(profileIds, turn))
  }

  /** What became of a trade on the chain; undefined for no answer in time. */
  settlementOf(tradeSeq: number): Promise<Settlement | undefined> {
    return this.#read(OURSELVES, () => this.#query.settlementOf(tradeSeq))
  }

  /** Newest first; undefined for no answer in time. */
  newestTrades(limit: number): Promise<readonly NewestTrade[] | undefined> {
    return this.#read(OURSELVES, () => this.#query.newestTrades(limit))
  }

  /** What operators did, newest first; undefined for no answer in time. */
  audit(ask: AuditAsk): Promise<readonly AuditRow[] | undefined> {
    return this.#read(OURSELVES, () => this.#query.audit(ask))
  }

  /** In the order of the seqs; undefined for no answer in time. */
  tradeParts(ask: TradePartsAsk): Promise<readonly TradeParts[] | undefined> {
    return this.#unasked(this.#read(OURSELVES, () => this.#query.tradeParts(ask)))
  }

  /** In the order of the markets, YES before NO; undefined for no answer in time. */
  positions(ask: PositionsAsk): Promise<readonly PositionRow[] | undefined> {
    const { accountId: profileId } = ask
    return this.#unasked(this.#read({ profileId }, (turn) => this.#query.positions(ask, turn)))
  }

  /** No call waits for it: what breaks is counted here, and the frame comes late or not. */
  #unasked<T>(reading: Promise<T | undefined>): Promise<T | undefined> {
    return reading.catch((error: unknown) => {
      this.#faults.note('query', error)
      return undefined
    })
  }

  /** Undefined when the tables did not catch up, or the asker has too many reads under way. */
  async #read<T>(
    { profileId, isGone }: Asker,
    ask: (turn: Turn) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const untilMs = performance.now() + LIMITS.privateReadDeadlineMs
    const others = this.#underWay.get(profileId) ?? 0
    if (profileId !== 0 && others >= LIMITS.readsPerProfileMax) return undefined
    this.#underWay.set(profileId, others + 1)
    try {
      const seq = this.#pipeline.durableSeq
      if (!(await this.#follower.whenApplied(seq, LIMITS.privateReadDeadlineMs))) return undefined
      return await ask({ owner: profileId, untilMs, isGone })
    } finally {
      const left = (this.#underWay.get(profileId) ?? 1) - 1
      if (left > 0) this.#underWay.set(profileId, left)
      else this.#underWay.delete(profileId)
    }
  }
}
