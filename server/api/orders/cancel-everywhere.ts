// Cancels a profile's open orders in all markets or in several. It cancels a part of the orders at
// a time, and the next part when that one is durable. So the rings keep capacity for the orders and
// cancels of others, and main does other work in between.
// Invariants: at most one call per profile runs, and later calls wait in order. So together they
// cancel each order once. Orders placed after the call began are not canceled.

import type { Clearing } from '../../../engine/core/clearing.ts'
import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { marketsOf, ordersOf } from '../../exchange/order-entry/user-cancels.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { OrderName } from '../../exchange/sequencer/sequencer.ts'
import type { Canceled, Cancels, FailedCancel } from './cancels.ts'

/** Maximum orders and markets of a part, which is stamped in one synchronous step. */
const ORDERS_PER_PART = 4096
const MARKETS_PER_PART = 64

type Outcome = AllCanceled | Reject

export class CancelEverywhere {
  readonly #pipeline: Pipeline
  readonly #cancels: Cancels
  /** The newest call of each profile with a call in progress. */
  readonly #newest = new Map<ProfileId, Promise<unknown>>()

  constructor(pipeline: Pipeline, cancels: Cancels) {
    this.#pipeline = pipeline
    this.#cancels = cancels
  }

  /**
   * Cancels every order that the profile has open when the call starts; with `marketIds`, only
   * those in these markets.
   */
  async run(profileId: ProfileId, marketIds?: readonly MarketId[]): Promise<Outcome> {
    const own = this.#after(profileId, marketIds)
    this.#newest.set(profileId, own)
    try {
      return await own
    } finally {
      if (this.#newest.get(profileId) === own) this.#newest.delete(profileId)
    }
  }

  /** Starts when the previous call has ended, whatever its result. */
  async #after(profileId: ProfileId, marketIds?: readonly MarketId[]): Promise<Outcome> {
    await this.#newest.get(profileId)?.catch(() => {})
    return this.#cancel(profileId, marketIds)
  }

  async #cancel(profileId: ProfileId, marketIds?: readonly MarketId[]): Promise<Outcome> {
    const restricted = await this.#cancels.restricted(profileId)
    if (restricted !== null) return restricted
    const { clearing } = this.#pipeline
    const done = new AllCanceled()
    for (const part of partsOf(clearing, profileId, marketIds)) {
      const open = part.filter((each) => clearing.orders.isLive(each.slot, each.generation))
      const outcome = await this.#cancels.live(open)
      if (!(outcome instanceof Reject)) {
        done.addCanceled(outcome.canceled)
        done.addFailed(outcome.failed)
        continue
      }
      if (done.isEmpty) return outcome
      // A mode that began meanwhile, or a full ring, leaves these orders open.
      done.addFailed(await this.#cancels.stillOpen(open))
    }
    return done
  }
}

/**
 * The live orders of a profile, in all markets or in these, that were placed up to now; in parts,
 * the last of which may be empty. The orders of a market are read when the iteration reaches it.
 */
function* partsOf(
  clearing: Clearing,
  profileId: ProfileId,
  marketIds?: readonly MarketId[],
): Generator<readonly OrderName[]> {
  const throughSeq = clearing.lastSeq
  let part: OrderName[] = []
  let ended = 0
  for (const marketId of marketIds ?? marketsOf(clearing, profileId)) {
    for (const each of ordersOf(clearing, profileId, marketId, throughSeq)) {
      part.push(each)
      if (part.length < ORDERS_PER_PART) continue
      yield part
      part = []
    }
    if (++ended % MARKETS_PER_PART !== 0) continue
    yield part
    part = []
  }
  yield part
}

const { cancelRowsMax } = LIMITS

function addSome<T>(rows: T[], more: readonly T[]): void {
  for (const each of more.slice(0, cancelRowsMax - rows.length)) rows.push(each)
}

/**
 * The result of canceling all orders. It has the id of each canceled order, but rows of only some:
 * a profile may have 262,144 orders, and a reply with a row for each is too long to hold for a slow
 * reader.
 */
export class AllCanceled {
  readonly orderIds: string[] = []
  /** Orders that are still open, at most LIMITS.cancelRowsMax. */
  readonly failed: FailedCancel[] = []
  readonly #traded: Canceled[] = []
  readonly #untraded: Canceled[] = []

  get isEmpty(): boolean {
    return this.orderIds.length + this.failed.length === 0
  }

  /** Rows of the canceled orders, at most LIMITS.cancelRowsMax; those that traded come first. */
  get orders(): readonly Canceled[] {
    return [...this.#traded, ...this.#untraded].slice(0, cancelRowsMax)
  }

  addCanceled(canceled: readonly Canceled[]): void {
    for (const { orderId } of canceled) this.orderIds.push(orderId)
    addSome(
      this.#traded,
      canceled.filter(({ filledSharesRaw }) => filledSharesRaw > 0),
    )
    addSome(
      this.#untraded,
      canceled.filter(({ filledSharesRaw }) => filledSharesRaw === 0),
    )
  }

  addFailed(failed: readonly FailedCancel[]): void {
    addSome(this.failed, failed)
  }
}
