// Orders of the load. Those that rest buy YES or NO below half a unit, so they never match each
// other; those that take buy at a price that matches what rests on the other side.

import { randomInt } from 'node:crypto'
import { SIDE } from '../../../engine/domain/order.ts'
import { PRICE_ONE_TICKS, UNIT_RAW } from '../../../engine/domain/units.ts'
import { ownOrder, signClientOrder } from '../../edge/intake/order/client-order.ts'
import type { LoadTrader, Venue } from './load-plan.ts'

/** Both have a signed order in their body; a replacement is an order that rests. */
export const SIGNED_KINDS = ['add', 'take'] as const
export type SignedKind = (typeof SIGNED_KINDS)[number]

export interface SignedOrder {
  /** Index of the trader. */
  readonly trader: number
  /** The body of POST /orders. */
  readonly body: string
}

const TICK_RAW = UNIT_RAW / PRICE_ONE_TICKS
const TICKS = { add: [400, 480], take: [600, 600] } as const
const SHARES = { add: [10, 100], take: [1, 5] } as const
const SALT_MAX = 2 ** 47

function between([low, high]: readonly [number, number]): number {
  return low + Math.floor(Math.random() * (high - low + 1))
}

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)]
}

/** Hashing needs `keccakReady`. */
export function signOrder(kind: SignedKind, { traders, markets, domain }: Venue): SignedOrder {
  const trader = Math.floor(Math.random() * traders.length)
  const { profileId, account, privateKey }: LoadTrader = traders[trader]
  const { slug, tokenIds, exchange } = pick(markets)
  const shares = between(SHARES[kind])
  const order = signClientOrder(
    ownOrder(account, {
      salt: randomInt(1, SALT_MAX),
      tokenId: pick(tokenIds),
      makerAmount: shares * between(TICKS[kind]) * TICK_RAW,
      takerAmount: shares * UNIT_RAW,
      feeRateBps: 0,
      side: SIDE.BUY,
    }),
    { ...domain, exchange },
    privateKey,
  )
  const body = JSON.stringify({
    order,
    ownerId: profileId,
    orderType: kind === 'add' ? 'GTC' : 'FAK',
    marketSlug: slug,
  })
  return { trader, body }
}
