import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { flagBits, flagsOf, type OrderFlags } from '../../engine/domain/order-flags.ts'
import { signedRequest } from '../../server/cli/client.ts'
import { ZERO_ADDRESS } from '../../server/crypto/address.ts'
import { keccakReady } from '../../server/crypto/keccak.ts'
import { integer, nullable, number, text } from '../../server/edge/http/schema/scalars.ts'
import {
  type Checker,
  compile,
  type Infer,
  list,
  openObject,
  optional,
} from '../../server/edge/http/schema/schema.ts'
import {
  accountOf,
  type ClientOrder,
  signClientOrder,
} from '../../server/edge/intake/order/client-order.ts'
import { ADMIN_TOKEN } from './server-process.ts'

// Speaks with a running exchange as its users do: signed orders, signed requests, the admin API.

await keccakReady

const DOMAIN = { name: 'Limitless CTF Exchange', chainId: 8453 }
export const SHARE = 1_000_000
const BRONZE_BPS = 300
export const STATUSES = ['LIVE', 'MATCHED', 'CANCELED', 'UNMATCHED'] as const

export interface Trader {
  readonly profileId: number
  readonly account: string
  readonly key: Uint8Array
  readonly tokenId: string
  readonly secret: string
}

export interface TestMarket {
  readonly slug: string
  readonly id: number
  readonly tokens: { readonly yes: string; readonly no: string }
  readonly exchange: string
  readonly fee: boolean
}

export interface Reply {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: unknown
}

const profileShape = compile(
  openObject({ profileId: integer(1), account: text(), tokenId: text(), secret: text() }),
)
const marketFields = openObject({
  id: integer(1),
  slug: text(),
  tokens: openObject({ yes: text(), no: text() }),
  venue: openObject({ exchange: text() }),
})
const marketShape = compile(marketFields)
const groupShape = compile(openObject({ markets: list(marketFields) }))
export const balanceShape = compile(openObject({ freeRaw: integer(), reservedRaw: integer() }))
export const refusalShape = compile(openObject({ statusCode: integer(), code: text() }))
const orderFields = openObject({
  order: openObject({ id: text(), status: text(), marketId: integer(1), ownerId: integer(1) }),
  makerMatches: list(openObject({ id: text(), matchedSize: text(), orderId: text() })),
  execution: openObject({
    settlementStatus: text(),
    stpMakerCancels: optional(list(text())),
    totalsRaw: openObject({
      contractsGross: text(),
      contractsNet: text(),
      usdGross: text(),
      usdNet: text(),
    }),
  }),
})
export const orderShape = compile(orderFields)
const userOrderFields = openObject({
  id: text(),
  ownerId: integer(1),
  token: text(),
  type: text(),
  status: text(),
  side: text(),
  makerAmount: integer(0),
  takerAmount: integer(0),
  price: nullable(number()),
  originalSize: text(),
  filledSize: text(),
  remainingSize: text(),
  clientOrderId: optional(text()),
})
const userOrdersShape = compile(list(userOrderFields))
const level = openObject({ price: number(), size: number() })
export const bookShape = compile(openObject({ bids: list(level), asks: list(level) }))
export const cancelShape = compile(openObject({ canceled: list(text()) }))

export type OrderReply = Infer<typeof orderFields>
export type UserOrder = Infer<typeof userOrderFields>

/** The value, typed; fails when the value lacks the shape that the API promises. */
export function shaped<T>(shape: Checker<T>, value: unknown): T {
  if (shape.holds(value)) return value
  assert.fail(`${JSON.stringify(value)}: ${JSON.stringify(shape.issues(value))}`)
}

/** The signed terms of an order, in the words of a trader. */
export interface Terms {
  readonly isBuy: boolean
  readonly outcome: 'yes' | 'no'
  /** Absent or 0 means the market form. */
  readonly ticks?: number
  /** Shares; for a market buy, the collateral it spends. */
  readonly sizeRaw: number
  readonly salt: number
  /** Unix seconds; absent means never. */
  readonly expirationSec?: number
}

export interface Wanted extends Terms, Partial<OrderFlags> {
  readonly type: 'GTC' | 'FAK' | 'FOK'
  readonly clientOrderId?: string
}

function amountsOf({ isBuy, ticks = 0, sizeRaw }: Terms) {
  if (ticks === 0) return { makerAmount: sizeRaw, takerAmount: 1 }
  const collateralRaw = (ticks * sizeRaw) / 1000
  return isBuy
    ? { makerAmount: collateralRaw, takerAmount: sizeRaw }
    : { makerAmount: sizeRaw, takerAmount: collateralRaw }
}

type Signer = Pick<Trader, 'account' | 'key'>

/** The same order, signed by `trader` in place of any earlier signature. */
export function signedBy(trader: Signer, market: TestMarket, order: ClientOrder): ClientOrder {
  return signClientOrder(order, { ...DOMAIN, exchange: market.exchange }, trader.key)
}

export function signedOrder(trader: Signer, market: TestMarket, terms: Terms): ClientOrder {
  return signedBy(trader, market, {
    salt: terms.salt,
    maker: trader.account,
    signer: trader.account,
    taker: ZERO_ADDRESS,
    tokenId: market.tokens[terms.outcome],
    ...amountsOf(terms),
    expiration: String(terms.expirationSec ?? 0),
    nonce: 0,
    feeRateBps: market.fee ? BRONZE_BPS : 0,
    side: terms.isBuy ? 0 : 1,
    signatureType: 0,
    signature: '0x',
  })
}

/** The body of POST /orders as JSON text. */
export function orderBody(
  trader: Trader,
  market: TestMarket,
  wanted: Wanted,
  fields: { readonly orderGroupId?: number } = {},
): string {
  const { clientOrderId } = wanted
  return JSON.stringify({
    order: signedOrder(trader, market, wanted),
    ownerId: trader.profileId,
    orderType: wanted.type,
    marketSlug: market.slug,
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
    ...flagsOf(flagBits(wanted)),
    ...fields,
  })
}

/** A private key derived from a name. */
export function keyOf(name: string): Uint8Array {
  return createHash('sha256').update(name).digest()
}

/** Throws when the connection ends before the whole reply is there. */
export async function send(
  baseUrl: string,
  method: string,
  path: string,
  rest: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<Reply> {
  const { headers = {}, body = '' } = rest
  const init = { method, headers: { ...headers }, ...(body === '' ? {} : { body }) }
  const response = await fetch(baseUrl + path, init)
  const value: unknown = JSON.parse(await response.text())
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: value }
}

export function headersFor(
  trader: Pick<Trader, 'tokenId' | 'secret'>,
  call: { readonly method: string; readonly path: string; readonly body: string },
): Readonly<Record<string, string>> {
  const { tokenId, secret } = trader
  const credentials = { tokenId, secret, headerPrefix: 'svc-' }
  return signedRequest(call, credentials, Date.now()).headers
}

export class ExchangeClient {
  readonly baseUrl: string
  readonly #adminToken: string

  constructor(baseUrl: string, adminToken = ADMIN_TOKEN) {
    this.baseUrl = baseUrl
    this.#adminToken = adminToken
  }

  async get(path: string): Promise<unknown> {
    const { status, body } = await send(this.baseUrl, 'GET', path)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }

  adminReply(path: string, body: unknown, method = 'POST'): Promise<Reply> {
    const headers = {
      authorization: `Bearer ${this.#adminToken}`,
      'content-type': 'application/json',
    }
    return send(this.baseUrl, method, path, { headers, body: JSON.stringify(body) })
  }

  async admin(path: string, body: unknown, method = 'POST'): Promise<unknown> {
    const reply = await this.adminReply(path, body, method)
    assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  call(trader: Trader, method: string, path: string, body = '', more = {}): Promise<Reply> {
    const headers = { ...headersFor(trader, { method, path, body }), ...more }
    return send(this.baseUrl, method, path, { headers, body })
  }

  place(trader: Trader, market: TestMarket, wanted: Wanted): Promise<Reply> {
    return this.call(trader, 'POST', '/orders', orderBody(trader, market, wanted))
  }

  /** Places an order that must be accepted. */
  async placed(trader: Trader, market: TestMarket, wanted: Wanted): Promise<OrderReply> {
    const { status, body } = await this.place(trader, market, wanted)
    assert.equal(status, 201, JSON.stringify(body))
    return shaped(orderShape, body)
  }

  async makeTrader(name: string, fundsRaw: number): Promise<Trader> {
    const key = keyOf(name)
    const made = await this.admin('/admin/profiles', {
      account: accountOf(key),
      rank: 'Bronze',
      apiToken: { scopes: ['trading'] },
    })
    const { profileId, account, tokenId, secret } = shaped(profileShape, made)
    if (fundsRaw > 0) await this.admin('/admin/balances', { profileId, collateralRaw: fundsRaw })
    return { profileId, account, key, tokenId, secret }
  }

  async makeMarket(slug: string, fee: boolean, takerDelayMs = 0): Promise<TestMarket> {
    const body = { kind: 'clob', slug, title: `Will ${slug} hold?`, fee, takerDelayMs }
    const { id, tokens, venue } = shaped(marketShape, await this.admin('/admin/markets', body))
    return { slug, id, tokens, exchange: venue.exchange, fee }
  }

  /** The markets of a new group, without fees. */
  async makeGroup(slug: string, names: readonly string[]): Promise<TestMarket[]> {
    const markets = names.map((name) => ({ slug: `${slug}-${name}`, title: name }))
    const body = { slug, title: `Who wins ${slug}?`, markets }
    const made = shaped(groupShape, await this.admin('/admin/groups', body)).markets
    return made.map(({ venue, ...market }) => {
      return { ...market, exchange: venue.exchange, fee: false }
    })
  }

  /** Newest first; up to 200 of each status. */
  async userOrders(trader: Trader, slug: string): Promise<UserOrder[]> {
    const ofStatus = async (status: string) => {
      const path = `/markets/${slug}/user-orders?statuses=${status}&limit=200`
      const { status: code, body } = await this.call(trader, 'GET', path)
      assert.equal(code, 200, JSON.stringify(body))
      return shaped(userOrdersShape, body)
    }
    return (await Promise.all(STATUSES.map(ofStatus))).flat()
  }

  /**
   * Balances are published when they change: credits one raw unit, takes it back, leaves it out.
   */
  async balances(trader: Trader): Promise<{ freeRaw: number; reservedRaw: number }> {
    const body = { profileId: trader.profileId, collateralRaw: 1 }
    const { freeRaw, reservedRaw } = shaped(balanceShape, await this.admin('/admin/balances', body))
    await this.admin('/admin/balances', { ...body, collateralRaw: -1 })
    return { freeRaw: freeRaw - 1, reservedRaw }
  }
}
