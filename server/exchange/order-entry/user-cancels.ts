// Cuts the cancels that clients ask for into commands: one per thousand orders of a market (design
// §3).

import type { Clearing } from '../../../engine/core/clearing.ts'
import { whyNotNow } from '../../../engine/core/decide/release.ts'
import type { AccountId, MarketId, Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { CancelReceipt, Publisher } from '../publisher/durable-publisher.ts'
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

/** Live orders of an account in a market that came by commands up to `throughSeq`, newest first. */
export function ordersOf(
  { ledger, orders }: Clearing,
  accountId: AccountId,
  marketId: MarketId,
  throughSeq: Seq = Number.POSITIVE_INFINITY,
): OrderName[] {
  const row = ledger.rows.find(accountId, marketId)
  const live: OrderName[] = []
  let slot = row === 0 ? 0 : orders.firstOfRow(row)
  for (; slot !== 0; slot = orders.nextOf(slot)) {
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

interface CancelParts {
  readonly clearing: Clearing
  readonly sequencer: Sequencer
  readonly publisher: Publisher
}

/** The market came to its end while the cancel waited, so each of its orders has ended. */
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

/**
 * Stamps cancels of orders of one market. Gives null when there was no room for the first command.
 * When a later command finds no room, the rest of the orders stay open and have no receipt.
 * `answered` is called for each command, when its market has answered.
 */
export function stampCancels(
  { clearing, sequencer, publisher }: CancelParts,
  marketId: MarketId,
  orders: readonly OrderName[],
  answered?: (receipt: CancelReceipt) => void,
): StampedCancels | null {
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
