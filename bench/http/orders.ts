// Signed orders as clients send them, made before the clock starts.

import {
  ExchangeClient,
  headersFor,
  orderBody,
  SHARE,
  type TestMarket,
  type Trader,
} from '../../test/support/exchange-client.ts'
import { GTC, isBid, OP, workloadOf } from '../workload/workload.ts'
import type { EchoSetting } from './echo-server.ts'

const TRADERS = 8
const FUNDS_RAW = 100_000_000_000_000

export interface HttpSetting {
  readonly traders: readonly Trader[]
  readonly markets: readonly TestMarket[]
}

/** Traders have nothing where wallets on a chain hold the funds. */
export async function prepare(
  baseUrl: string,
  markets: number,
  isOnChain = false,
): Promise<HttpSetting> {
  const fundsRaw = isOnChain ? 0 : FUNDS_RAW
  const client = new ExchangeClient(baseUrl)
  const traders: Trader[] = []
  for (let index = 0; index < TRADERS; index++) {
    traders.push(await client.makeTrader(`bench ${index}`, fundsRaw))
  }
  const made: TestMarket[] = []
  for (let index = 1; index <= markets; index++) {
    made.push(await client.makeMarket(`bench-${index}`, true))
  }
  return { traders, markets: made }
}

export interface UnsentOrder {
  readonly trader: Trader
  readonly body: string
}

/** Distinct orders of the workload. All of them buy, because nobody holds shares yet. */
export function signOrders(setting: HttpSetting, count: number, saltFrom: number): UnsentOrder[] {
  const { traders, markets } = setting
  const options = { live: 100, books: markets.length, accounts: traders.length, ops: count * 2 }
  const work = workloadOf({ seed: saltFrom, ...options })
  const orders: UnsentOrder[] = []
  for (let row = 0; row < work.count && orders.length < count; row++) {
    if (work.op[row] !== OP.PLACE) continue
    const isYes = isBid(work, row)
    const trader = traders[work.owner[row] - 1]
    const body = orderBody(trader, markets[work.book[row] - 1], {
      isBuy: true,
      outcome: isYes ? 'yes' : 'no',
      ticks: isYes ? work.ticks[row] : 1000 - work.ticks[row],
      sizeRaw: work.sizeRaw[row],
      type: work.orderType[row] === GTC ? 'GTC' : 'FAK',
      salt: saltFrom + row,
    })
    orders.push({ trader, body })
  }
  return orders
}

/** The lowest price of a resting order. */
const RESTING_TICKS_MIN = 300

/** Of NO and of YES. */
const PAIR_TICKS = [400, 600]

let restingSalt = 1

/** Orders of the first market on so many levels. None matches, so each one changes the book. */
export function restingOrders(
  { traders, markets }: HttpSetting,
  count: number,
  levels: number,
): UnsentOrder[] {
  return Array.from({ length: count }, (_, index) => {
    const trader = traders[index % traders.length]
    const body = orderBody(trader, markets[0], {
      isBuy: true,
      outcome: index % 2 === 0 ? 'yes' : 'no',
      ticks: RESTING_TICKS_MIN + (index % levels),
      sizeRaw: SHARE,
      type: 'GTC',
      salt: restingSalt++,
    })
    return { trader, body }
  })
}

/** Orders of the first market, each second of which trades with the one before. */
export function pairedOrders({ traders, markets }: HttpSetting, pairs: number): UnsentOrder[] {
  return Array.from({ length: pairs * 2 }, (_, index) => {
    const isMaker = index % 2 === 0
    const trader = traders[(index + (index >> 4)) % traders.length]
    const body = orderBody(trader, markets[0], {
      isBuy: true,
      outcome: isMaker ? 'no' : 'yes',
      ticks: PAIR_TICKS[index % 2],
      sizeRaw: SHARE,
      type: 'GTC',
      salt: restingSalt++,
    })
    return { trader, body }
  })
}

/** A POST /orders with its sender's proof. */
export interface SignedCall {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The signed calls of the orders. Their timestamps are valid for half a minute. */
export function callsOf(orders: readonly UnsentOrder[]): SignedCall[] {
  return orders.map(({ trader, body }) => {
    return { headers: headersFor(trader, { method: 'POST', path: '/orders', body }), body }
  })
}

/** The signed calls as the bytes of HTTP requests. */
export function requestsOf(orders: readonly UnsentOrder[]): Uint8Array[] {
  return callsOf(orders).map(({ headers, body }) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const length = `content-length: ${Buffer.byteLength(body)}\r\n`
    return Buffer.from(
      `POST /orders HTTP/1.1\r\nhost: bench\r\n${lines.join('')}${length}\r\n${body}`,
    )
  })
}

export function echoSetting({
  traders,
  markets,
}: HttpSetting): Pick<EchoSetting, 'tokens' | 'markets'> {
  return {
    tokens: traders.map(({ tokenId, profileId, account, secret }, index) => ({
      tokenNo: index + 1,
      tokenId,
      profileId,
      account,
      scopes: ['trading'],
      secretBase64: secret,
    })),
    markets: markets.map(({ id, slug, tokens, exchange }) => ({
      marketId: id,
      book: id,
      slug,
      yesTokenId: tokens.yes,
      noTokenId: tokens.no,
      exchangeAddress: exchange,
      feeEnabled: true,
    })),
  }
}
