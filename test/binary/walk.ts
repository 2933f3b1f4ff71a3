import assert from 'node:assert/strict'
import { get } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { Client, OrderType, Side, WebSocketClient } from '@limitless-exchange/sdk'
import { LIMITS } from '../../engine/domain/limits.ts'
import { at } from '../support/json-path.ts'
import { demoOf, folder, MARKET, run, step } from './stranger.ts'

// What a stranger does at a running exchange: trades, reads, looks at the pages.

/** A trade that the exchange acknowledged. */
export interface Traded {
  readonly orderId: string
  readonly tradeId: string
}

const TRADER = 1

function clientOf(baseUrl: string) {
  const { tokenId, secret, privateKey } = demoOf(join(folder, 'data')).traders[TRADER]
  const client = new Client({ baseURL: baseUrl, hmacCredentials: { tokenId, secret } })
  return { client, orders: client.newOrderClient(privateKey) }
}

/** Buys by a signed order of the public client, above every ask. */
async function trade(baseUrl: string): Promise<Traded> {
  const { client, orders } = clientOf(baseUrl)
  const { tokens } = await client.markets.getMarket(MARKET)
  assert.ok(tokens !== undefined)
  const wanted = { tokenId: tokens.yes, side: Side.BUY, price: 0.95, size: 5 }
  const output = await orders.createOrder({
    ...wanted,
    orderType: OrderType.GTC,
    marketSlug: MARKET,
  })
  assert.equal(at(output, 'execution', 'matched'), true)
  return { orderId: output.order.id, tradeId: String(at(output, 'execution', 'tradeEventId')) }
}

/** A query as long as it may be: the library must have read its bound before it was loaded. */
async function askLongest(baseUrl: string): Promise<void> {
  const { orderbooksMax, slugCharactersMax } = LIMITS
  const slugs = Array.from({ length: orderbooksMax }, (_, n) =>
    `${n}-`.padEnd(slugCharactersMax, 'x'),
  )
  const reply = await fetch(`${baseUrl}/markets/orderbooks?slugs=${slugs.join(',')}`)
  assert.equal(reply.status, 200, await reply.text())
}

async function receivePrices(baseUrl: string): Promise<void> {
  const client = new WebSocketClient({ url: baseUrl, autoReconnect: false })
  const book = new Promise((resolve) => {
    Reflect.apply(client.on, client, ['orderbookUpdate', resolve])
  })
  await client.connect()
  await client.subscribe('subscribe_market_prices', { marketSlugs: [MARKET] })
  assert.equal(at(await book, 'marketSlug'), MARKET)
  await client.disconnect()
}

/** The first trade by the command line, then the public client; gives the last trade. */
export async function walk(baseUrl: string): Promise<Traded> {
  step('the first trade, and the walk of the public client')
  const order = ['order', '--as', '0', '--market', MARKET, '--buy', 'yes', '10@0.65']
  assert.match(run(...order, '--url', baseUrl), /^matched +10 shares/m)
  const { client } = clientOf(baseUrl)
  const { data } = await client.markets.getActiveMarkets()
  assert.ok(data.length > 0)
  await askLongest(baseUrl)
  const { bids, asks } = await client.markets.getOrderBook(MARKET)
  assert.ok(asks.length + bids.length > 0)
  await receivePrices(baseUrl)
  const found = await fetch(`${baseUrl}/markets/search?query=crypto`)
  assert.equal(found.status, 200)
  const traded = await trade(baseUrl)
  await seeTrade(baseUrl, traded)
  return traded
}

/** The trade is in the answer to its order and in the history of its trader. */
export async function seeTrade(baseUrl: string, { orderId, tradeId }: Traded): Promise<void> {
  const { client } = clientOf(baseUrl)
  const status: unknown = await client.http.post('/orders/status/batch', { items: [{ orderId }] })
  assert.equal(at(status, 'results', '0', 'data', 'execution', 'tradeEventId'), tradeId)
  const history: unknown = await client.http.get('/portfolio/history?limit=20')
  const acts = at(history, 'data')
  assert.ok(Array.isArray(acts) && acts.some((act) => at(act, 'tradeEventId') === tradeId))
}

/** The bytes as they are sent, and how they are coded: fetch would decode them. */
function rawOf(url: string): Promise<{ coding: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { 'accept-encoding': 'br' } }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('end', () => {
        resolve({ coding: reply.headers['content-encoding'], bytes: Buffer.concat(parts) })
      })
    })
    request.on('error', reject)
  })
}

export async function seePages(baseUrl: string): Promise<void> {
  step('the console and its files, the documents')
  for (const path of ['/docs', '/docs/trading', '/openapi.json', '/operator']) {
    const reply = await fetch(`${baseUrl}${path}`)
    const text = await reply.text()
    assert.equal(reply.status, 200, `${path}: ${text}`)
  }
  const page = await (await fetch(baseUrl)).text()
  const assets = [...page.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path)
  assert.ok(assets.some((path) => path.endsWith('.js')) && assets.some((p) => p.endsWith('.css')))
  for (const path of new Set(assets)) {
    const { coding, bytes } = await rawOf(baseUrl + path)
    assert.equal(coding, 'br', path)
    const plain = Buffer.from(await (await fetch(baseUrl + path)).arrayBuffer())
    assert.deepEqual(brotliDecompressSync(bytes), plain, path)
  }
}
