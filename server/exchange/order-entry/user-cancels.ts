// Cancels that clients request: each becomes one command per thousand orders of a market (design
// §3). The main thread owns it.

import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Amended } from '../../../engine/core/decide/amend.ts'
import { decideCancel, whyEnded } from '../../../engine/core/decide/cancel.ts'
import { whyNotNow } from '../../../engine/core/decide/release.ts'
import type { AccountId, MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { SizeRaw } from '../../../engine/domain/units.ts'
import type { AmendReceipt, CancelReceipt, Publisher } from '../publisher/durable-publisher.ts'
import type { QuiescentPoint } from '../sequencer/quiescent-point.ts'
import { type OrderName, RELEASING, type Sequencer } from '../sequencer/sequencer.ts'

/** Orders that were left alone (rules §4.3): they are being released, or are bound. */
interface LeftAlone {
  readonly releasing: readonly OrderName[]
  readonly bound: readonly OrderName[]
}

/** What became of each named order. */
export interface CancelOutcome extends CancelReceipt, LeftAlone {}

interface StampedCancels extends LeftAlone {
  readonly receipts: readonly Promise<CancelReceipt>[]
}

/**
 * The newest `max` live orders of an account in a market, of those that came by commands up to
 * `throughSeq`, newest first.
 */
export function ordersOf(
  { ledger, orders }: Clearing,
  accountId: AccountId,
  marketId: MarketId,
  { throughSeq = Number.POSITIVE_INFINITY, max = Number.POSITIVE_INFINITY } = {},
): OrderName[] {
  const row = ledger.rows.find(accountId, marketId)
  const live: OrderName[] = []
  let slot = row === 0 ? 0 : orders.firstOfRow(row)
  for (; slot !== 0 && live.length < max; slot = orders.nextOf(slot)) {
    if (orders.seqOf(slot) > throughSeq) continue
    live.push({ slot, generation: orders.generationOf(slot) })
  }
  return live
}

/** The markets in which an account has live orders. */
export function marketsOf({ orders }: Clearing, accountId: AccountId): MarketId[] {
  const marketIds: MarketId[] = []
  const rows = orders.rowsOfAccount
  for (let row = rows.firstOf(accountId); row !== 0; row = rows.nextOf(row)) {
    marketIds.push(orders.marketOf(orders.firstOfRow(row)))
  }
  return marketIds
}

export interface UserCancelParts {
  readonly clearing: Clearing
  readonly sequencer: Sequencer
  readonly publisher: Publisher
  readonly quiescentPoint: QuiescentPoint
}

/** The market ended while the cancel waited, so each of its orders has ended. */
function noneIsOpen(
  { orders: table }: Clearing,
  orders: readonly OrderName[],
  answered: (receipt: CancelReceipt) => void = () => {},
): StampedCancels {
  const known = orders.filter(({ slot, generation }) => table.hasEnded(slot, generation))
  const notOpen = known.map((each) => ({ isMatched: table.wasMatched(each.slot), ...each }))
  const receipt = { canceled: [], notOpen }
  answered(receipt)
  return { receipts: [Promise.resolve(receipt)], releasing: [], bound: [] }
}

/** Parts the orders of a market: a market may bind those that it holds. */
function parted(clearing: Clearing, isBinding: boolean, orders: readonly OrderName[]) {
  const [free, releasing, bound]: OrderName[][] = [[], [], []]
  if (!isBinding) return { free: orders, releasing, bound }
  for (const order of orders) {
    const { slot, generation } = order
    const reject = clearing.orders.isLive(slot, generation) ? whyNotNow(clearing, slot) : null
    if (reject === null) free.push(order)
    else if (reject === REJECT.DELAYED_CANCEL_OFF) bound.push(order)
    else releasing.push(order)
  }
  return { free, releasing, bound }
}

export class UserCancels {
  readonly #parts: UserCancelParts

  constructor(parts: UserCancelParts) {
    this.#parts = parts
  }

  /**
   * Cancels open orders of the caller, with one command per market and thousand orders. Orders that
   * are being released or that their market binds are left alone and named in the outcome. Resolves
   * with the receipts of all commands, or with a refusal: then no command was stamped. `answered`
   * is called for each command, when its market has answered.
   */
  async cancel(
    marketId: MarketId,
    orders: readonly OrderName[],
    answered?: (receipt: CancelReceipt) => void,
  ): Promise<CancelOutcome | Reject> {
    const { quiescentPoint, publisher } = this.#parts
    // An order that ends meanwhile is no longer open to its market; a cancel decides nothing else.
    if (quiescentPoint.isOn) await quiescentPoint.over()
    const restricted = this.restriction()
    if (restricted !== null) {
      await publisher.durable()
      return restricted
    }
    const stamped = this.#stamp(marketId, orders, answered)
    if (stamped === null) return REJECT.OVERLOADED
    const { releasing, bound } = stamped
    // That orders are held or released may rest on a command that is not durable yet.
    if (releasing.length + bound.length > 0) await publisher.durable()
    const receipts = await Promise.all(stamped.receipts)
    return {
      releasing,
      bound,
      canceled: receipts.flatMap((receipt) => receipt.canceled),
      notOpen: receipts.flatMap((receipt) => receipt.notOpen),
    }
  }

  /**
   * Takes shares off an open order of the account, so that `sizeRaw` may still trade. Resolves with
   * the receipt, or the refusal.
   */
  async decrease(
    accountId: AccountId,
    nameOf: (accountId: AccountId) => Amended,
    sizeRaw: SizeRaw,
  ): Promise<AmendReceipt | Reject> {
    const { quiescentPoint, publisher, sequencer } = this.#parts
    if (quiescentPoint.isOn) await quiescentPoint.over()
    const seq = this.restriction() ?? sequencer.decrease(accountId, nameOf(accountId), sizeRaw)
    if (seq === REJECT.OVERLOADED) return seq
    if (typeof seq === 'number') {
      return new Promise((resolve) => {
        publisher.whenReceipt(seq, 0, (_receipt, amends) => resolve(amends))
      })
    }
    await publisher.durable()
    return seq === RELEASING ? REJECT.ORDER_RELEASE_IN_PROGRESS : seq
  }

  /** Why the trading mode refuses all cancels; null when it allows them. */
  restriction(): Reject | null {
    return this.#parts.clearing.modes.cancelReject(this.#parts.sequencer.nowMs())
  }

  /** Why the caller may not cancel the live order of this name, or null. */
  whyNot(profileId: ProfileId, order: OrderName): Reject | null {
    return decideCancel(this.#parts.clearing, profileId, order.slot, order.generation)
  }

  /** Why the caller may not cancel an order that ended; null when only the tables know. */
  whyEnded(profileId: ProfileId, { slot, generation }: OrderName): Reject | null {
    return whyEnded(this.#parts.clearing, profileId, slot, generation)
  }

  /** The newest live orders of a profile in a market, newest first. */
  live(profileId: ProfileId, marketId: MarketId, max?: number): OrderName[] {
    return ordersOf(this.#parts.clearing, profileId, marketId, { max })
  }

  /**
   * Stamps cancels of orders of one market. Gives null when there was no capacity for the first
   * command. When a later command finds none, the rest of the orders stay open without a receipt.
   */
  #stamp(
    marketId: MarketId,
    orders: readonly OrderName[],
    answered?: (receipt: CancelReceipt) => void,
  ): StampedCancels | null {
    const { clearing, sequencer, publisher } = this.#parts
    const { book = 0, noDelayedCancel = false } = clearing.catalogue.byId(marketId) ?? {}
    if (book === 0) return noneIsOpen(clearing, orders, answered)
    const receipts: Promise<CancelReceipt>[] = []
    const { free, releasing, bound } = parted(clearing, noDelayedCancel, orders)
    for (let from = 0; from < free.length; from += LIMITS.cancelItemsMax) {
      let chunk = free.slice(from, from + LIMITS.cancelItemsMax)
      let seq = sequencer.cancel(book, chunk)
      while (seq === RELEASING) {
        const entering = sequencer.releases.among(chunk)
        releasing.push(...entering)
        chunk = chunk.filter((each) => !entering.includes(each))
        if (chunk.length > 0) seq = sequencer.cancel(book, chunk)
        else break
      }
      if (seq === RELEASING) continue
      if (seq instanceof Reject) {
        if (from === 0) return null
        break
      }
      receipts.push(
        new Promise((resolve) => {
          publisher.whenReceipt(seq, 0, (_receipt, cancels) => resolve(cancels))
        }),
      )
      if (answered !== undefined) publisher.whenAnswered(seq, answered)
    }
    return { receipts, releasing, bound }
  }
}
