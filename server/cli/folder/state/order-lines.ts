import { bytesToHex } from '../../../../engine/core/cells/digest.ts'
import type { Clearing } from '../../../../engine/core/clearing.ts'
import { type OrderTable, STATE } from '../../../../engine/core/orders/order-table.ts'
import { bookDigest } from '../../../../engine/core/state/state-hash.ts'
import type { Slot } from '../../../../engine/domain/ids.ts'
import { ORDER_TYPES, SIDE, STP_POLICIES } from '../../../../engine/domain/order.ts'
import { instant, type Line, line, price, short, units } from './state-line.ts'
import { nameOf, slugOf, tokenOf } from './thing-name.ts'

// The live orders, their queues, and the chain that mines their trades.

function termsOf(orders: OrderTable, slot: Slot): string {
  const expirationSec = orders.expirationSecOf(slot)
  const clientId = orders.clientIdOf(slot)
  const { held } = orders
  const isHeld = orders.stateOf(slot) === STATE.HELD
  return [
    ORDER_TYPES[orders.orderTypeOf(slot)],
    `fee ${orders.feeBpsOf(slot)} bps`,
    `reserves ${units(orders.reservedRawOf(slot))}`,
    ...(expirationSec === 0 ? [] : [`until Unix second ${expirationSec}`]),
    ...(clientId === '' ? [] : [`client id ${JSON.stringify(clientId)}`]),
    ...(isHeld
      ? [`held until ${instant(held.eligibleMsOf(slot))}`, STP_POLICIES[held.stpOf(slot)]]
      : []),
  ].join(', ')
}

export function* orderLines(clearing: Clearing): Iterable<Line> {
  const { orders } = clearing
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) === STATE.FREE) continue
    const side = orders.sideOf(slot) === SIDE.BUY ? 'buys' : 'sells'
    const token = tokenOf(clearing, orders.marketOf(slot), orders.outcomeOf(slot))
    const left = `${units(orders.leftRawOf(slot))} of ${units(orders.sizeRawOf(slot))}`
    const what = `${nameOf(orders.accountOf(slot))} ${side} ${token}`
    const output = `${what} at ${price(orders.priceTicksOf(slot))}, open ${left}`
    yield line(`order ${orders.seqOf(slot)}`, `${output}, ${termsOf(orders, slot)}`)
  }
  // No order alone shows which of two orders at one price has priority.
  for (const book of clearing.catalogue.openBooks()) {
    const { marketId } = clearing.catalogue.ofBook(book)
    const digest = short(bytesToHex(bookDigest(book)))
    yield line(`market ${slugOf(clearing, marketId)}, queues of its book`, `digest ${digest}`)
  }
}

export function* seenLines({ seen }: Clearing): Iterable<Line> {
  const { count, clientIdCount, folded } = seen
  yield line('orders that came', `${count}, client ids ${clientIdCount}, folded ${folded}`)
}

export function* blockLines({ blocks }: Clearing): Iterable<Line> {
  const { height, throughSeq, movedSeq, aside, failed } = blocks.capture()
  yield line('blocks', `height ${height}, to seq ${throughSeq}, newest move seq ${movedSeq}`)
  for (const seq of aside) yield line(`trade ${seq} waits for a later block`)
  for (const seq of failed) yield line(`trade ${seq} failed`)
}
