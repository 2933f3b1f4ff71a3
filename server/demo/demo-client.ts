// The demo trades like any client: it sends signed orders over the public API.

import { randomInt } from 'node:crypto'
import { assert } from '../../engine/domain/assert.ts'
import type { ProfileId } from '../../engine/domain/ids.ts'
import { signCall } from '../auth/hmac-signature.ts'
import { text } from '../edge/http/schema/scalars.ts'
import { compile, openObject } from '../edge/http/schema/schema.ts'
import { accountOf, ownOrder, signClientOrder } from '../edge/intake/order/client-order.ts'
import type { OwnReply, OwnServer } from './own-server.ts'

export interface DemoTrader {
  readonly profileId: ProfileId
  readonly account: string
  readonly privateKey: string
  readonly tokenId: string
  readonly secret: string
}

export interface DemoMarket {
  readonly slug: string
  readonly tokens: readonly [yes: string, no: string]
  readonly exchange: string
  readonly hasFee: boolean
  /** Whether it ends soon, as a slot of a series does. */
  readonly isSlot: boolean
}

export interface Venue {
  readonly server: OwnServer
  readonly headerPrefix: string
  readonly domain: { readonly name: string; readonly chainId: number }
}

/** One order of the demo: price in ticks of its own token; size in whole shares. */
export interface DemoOrder {
  readonly isBuy: boolean
  readonly outcome: 0 | 1
  readonly priceTicks: number
  readonly shares: number
  readonly type: 'GTC' | 'FAK'
}

const FEE_BPS = 300
const SALT_STEPS = 1_000_000
const placedOrder = compile(openObject({ order: openObject({ id: text() }) }))

/** The body of a reply that is not a refusal. */
export function accepted({ status, body }: OwnReply): unknown {
  if (status >= 200 && status < 300) return body
  throw new Error(`${status} ${JSON.stringify(body)}`)
}

/** A GET without a body, a POST with one. */
export async function adminCall(
  server: OwnServer,
  adminToken: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const authorization = `Bearer ${adminToken}`
  if (body === undefined) return accepted(await server.call('GET', path, { authorization }))
  const headers = { authorization, 'content-type': 'application/json' }
  return accepted(await server.call('POST', path, headers, JSON.stringify(body)))
}

export class DemoClient {
  readonly trader: DemoTrader
  readonly #venue: Venue
  readonly #key: Buffer

  constructor(trader: DemoTrader, venue: Venue) {
    this.trader = trader
    this.#venue = venue
    this.#key = Buffer.from(trader.privateKey.slice(2), 'hex')
  }

  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    return accepted(await this.send(method, path, body))
  }

  /** The raw reply, including refusals. */
  async send(method: string, path: string, body?: unknown): Promise<OwnReply> {
    const { server, headerPrefix } = this.#venue
    const payload = body === undefined ? '' : JSON.stringify(body)
    const timestamp = new Date().toISOString()
    const signature = signCall({
      secret: Buffer.from(this.trader.secret, 'base64'),
      timestamp,
      method,
      pathWithQuery: path,
      body: Buffer.from(payload),
    })
    const headers = {
      [`${headerPrefix}api-key`]: this.trader.tokenId,
      [`${headerPrefix}timestamp`]: timestamp,
      [`${headerPrefix}signature`]: signature,
      ...(payload === '' ? {} : { 'content-type': 'application/json' }),
    }
    return server.call(method, path, headers, payload)
  }

  /** Cancels the live orders among at most LIMITS.batchCancelIdsMax orders. */
  async cancel(orderIds: readonly string[]): Promise<void> {
    const reply = await this.send('POST', '/orders/batch-cancel', { orderIds })
    // 400: all of them have already ended.
    if (reply.status !== 400) accepted(reply)
  }

  /** Returns the id of the order. */
  async place(market: DemoMarket, order: DemoOrder): Promise<string> {
    const sharesRaw = order.shares * 1_000_000
    const collateralRaw = order.shares * order.priceTicks * 1000
    const { domain } = this.#venue
    const signed = signClientOrder(
      ownOrder(accountOf(this.#key), {
        salt: Date.now() * 1000 + randomInt(SALT_STEPS),
        tokenId: market.tokens[order.outcome],
        makerAmount: order.isBuy ? collateralRaw : sharesRaw,
        takerAmount: order.isBuy ? sharesRaw : collateralRaw,
        feeRateBps: FEE_BPS,
        side: order.isBuy ? 0 : 1,
      }),
      { ...domain, exchange: market.exchange },
      this.#key,
    )
    const placed = await this.call('POST', '/orders', {
      order: signed,
      ownerId: this.trader.profileId,
      orderType: order.type,
      marketSlug: market.slug,
    })
    assert(placedOrder.holds(placed), 'a placed order has an id')
    return placed.order.id
  }
}
