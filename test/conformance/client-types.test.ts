import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkTypes } from '../support/checked-types.ts'
import { newFolder } from '../support/data-folder.ts'
import { exchange } from '../support/exchange.ts'
import { LEFT_OUT } from '../support/funds.ts'
import { at, textAt } from '../support/json-path.ts'
import { orderBody } from '../support/live-orders.ts'
import { serverWallet, unsignedBody } from '../support/live-partners.ts'
import { accepted, orderIdOf, type Reply } from '../support/replies.ts'
import { handshakeOf, SocketClient } from '../support/socket-client.ts'
import { until } from '../support/until.ts'

// Replies and frames against the types of the installed public client: each is written as a literal
// into a source that the compiler checks. Fields beyond the types are allowed, and null stands for
// an optional field that is absent.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SHARE = 1_000_000
const RIGHTS = ['trading', 'account_creation', 'delegated_signing', 'withdrawal']
const { live } = await exchange({ flags: ['--block-ms', '20'] })

interface Typed {
  readonly type: string
  readonly value: unknown
}

const typed: Typed[] = []

/** Notes a reply that the client reads as this type. */
function reads(type: string, reply: Reply, ...path: (string | number)[]): Reply {
  assert.ok(reply.status < 300 || reply.status === 409, `${type} ${reply.text}`)
  typed.push({ type, value: path.length === 0 ? reply.body : at(reply.body, ...path) })
  return reply
}

const get = (path: string) => live.read(path)

/** A market of each kind, with trades, a payout split and a slot of a series. */
async function scene() {
  await live.openGroup()
  if (LEFT_OUT.pools === false) await live.openPool()
  const rain = await live.openMarket('rain', { fee: true })
  await live.openMarket('calm')
  const series = {
    symbol: 'BTC',
    frequency: 'daily',
    stableSlug: 'btc-daily',
    slugPrefix: 'btc-1d',
    title: 'Bitcoin up or down',
    assetName: 'Bitcoin',
    strikePrice: '64000',
  }
  assert.equal((await live.admin('/admin/series', series)).status, 201)
  const partner = await live.trader(1000 * SHARE, { apiToken: { scopes: RIGHTS } })
  const maker = await live.trader(1000 * SHARE)
  const desk = await serverWallet(live, partner, 100 * SHARE)
  return { rain, partner, maker, desk }
}

type Scene = Awaited<ReturnType<typeof scene>>
type Call = (method: string, path: string, body?: unknown) => Promise<Reply>

test('every reply and frame has the types of the public client', async () => {
  const all = await scene()
  const { partner } = all
  const call: Call = (method, path, body) => live.call(partner, method, path, body)
  const pools = LEFT_OUT.pools === false ? ['pool'] : []
  const prices = { marketSlugs: ['rain', ...pools], symbols: ['BTC'] }
  const headers = handshakeOf(partner, live.nowMs())
  const client = await SocketClient.open(live.port, { headers })
  client.socket.emit('subscribe_order_events')
  client.socket.emit('subscribe_transactions')
  client.socket.emit('subscribe_market_lifecycle')
  client.socket.emit('subscribe_market_prices', prices)
  await client.take('system', 4)
  await orders(all, call)
  if (LEFT_OUT.pools === false) await poolCalls(call)
  await partnerCalls(all, call)
  await settlements(all, call)
  await lists(call, pools)
  await frames(client)
  client.close()
  assertTyped()
  assert.deepEqual(live.faults, [])
})

/** Signed, unsigned for a sub-account, and replaced. */
async function orders({ rain, partner, maker, desk }: Scene, call: Call) {
  const bid = { ticks: 450, sizeRaw: 10 * SHARE }
  await live.place(maker, rain, { outcome: 1, ticks: 550, sizeRaw: 20 * SHARE })
  reads('OrderResponse', await live.place(partner, rain, bid))
  const rests = await live.place(partner, rain, { ...bid, ticks: 100 })
  const ofDesk = unsignedBody(partner, desk.profileId, rain, bid)
  reads('OrderResponse', await call('POST', '/orders', ofDesk))
  const orderId = orderIdOf(rests)
  const { ownerId, ...replacement } = orderBody(partner, rain, { ...bid, ticks: 110 })
  const replaced = await call('POST', '/orders/cancel-replace', {
    cancel: { orderId },
    replacement: { ...replacement, ownerId },
    mode: 'STOP_ON_FAILURE',
  })
  reads('CancelReplaceResponse', replaced)
  const newId = textAt(replaced.body, 'replacement', 'data', 'order', 'id')
  const operations = [
    {
      cancel: { orderId: newId },
      replacement: orderBody(partner, rain, { ...bid, ticks: 120 }),
      mode: 'ALLOW_FAILURE',
    },
  ]
  reads(
    'CancelReplaceBatchResponse',
    await call('POST', '/orders/cancel-replace/batch', { operations }),
  )
  reads('OrderCancellationResponse', await call('DELETE', '/orders/all/rain'))
  // An open order alone puts a market without a deadline or a trade among the positions.
  const calm = { ...rain, slug: 'calm', feeBps: 0 }
  const shown = await get('/markets/calm')
  const tokens = [textAt(shown.body, 'tokens', 'yes'), textAt(shown.body, 'tokens', 'no')] as const
  await live.placed(partner, { ...calm, tokens }, bid)
}

async function poolCalls(call: Call) {
  const pool = { market: 'pool', side: 'BUY' }
  reads('AmmAllowanceResponse', await call('POST', '/amm/allowances/approve', pool))
  const isMined = async () => {
    const reply = await call('POST', '/amm/allowances/check', pool)
    return at(reply.body, 'confirmed') === true ? reply : null
  }
  let approved = await isMined()
  while (approved === null) approved = await isMined()
  reads('AmmAllowanceResponse', approved)
  const bought = { market: 'pool', outcomeIndex: 0, collateralAmount: String(SHARE) }
  reads('AmmBuyResponse', await call('POST', '/amm/buy', { ...bought, idempotencyKey: 'one' }))
}

/** Approvals and what partners do. */
async function partnerCalls({ desk }: Scene, call: Call) {
  reads('ApiToken[]', await call('GET', '/auth/api-tokens'))
  reads('PartnerCapabilities', await call('GET', '/auth/api-tokens/capabilities'))
  reads('ListPartnerAccountsResponse', await call('GET', '/profiles/partner-accounts'))
  const allowances = `/profiles/partner-accounts/${desk.profileId}/allowances`
  reads('PartnerAccountAllowanceResponse', await call('GET', allowances))
}

/** Resolutions, and what a server wallet redeems and pays out. */
async function settlements({ desk }: Scene, call: Call) {
  const { pipeline } = live.exchange
  const conditionId = pipeline.clearing.catalogue.bySlug('rain')?.conditionId
  await accepted(live.admin('/admin/markets/rain/resolve', { payoutNumerators: [1, 3] }))
  await until(() => pipeline.clearing.catalogue.bySlug('rain')?.isPaidOut === true)
  const own = { onBehalfOf: desk.profileId }
  const redeemed = await call('POST', '/portfolio/redeem', { conditionId, ...own })
  reads('RedeemServerWalletResponse', redeemed)
  const leaves = await call('POST', '/portfolio/withdraw', { amount: '1', ...own })
  reads('WithdrawServerWalletResponse', leaves)
  await live.admin('/admin/oracle/prices', { reports: [{ symbol: 'BTC', price: '64000.5' }] })
}

async function lists(call: Call, pools: readonly string[]) {
  reads('ActiveMarketsResponse', await get('/markets/active'))
  for (const slug of ['rain', 'calm', 'cup', 'cup-reds', ...pools]) {
    reads('MarketInterface', await get(`/markets/${slug}`))
  }
  reads('MarketInterface', await get('/markets/stable/btc-daily'))
  reads('OrderBook', await get('/markets/calm/orderbook'))
  reads('UserProfile', await call('GET', '/profiles/me'))
  reads('PortfolioPositionsResponse', await call('GET', '/portfolio/positions'))
  reads('PortfolioSummary', await call('GET', '/portfolio/positions'), 'summary')
  reads('HistoryResponse', await call('GET', '/portfolio/history'))
  reads('NavigationNode[]', await get('/navigation'))
  reads('PropertyKey[]', await get('/property-keys'))
}

/** The terminal frame of an order has texts, as the contract says (rules §13 row 8). */
async function frames(client: SocketClient) {
  for (const [event, type, count] of [
    ['orderbookUpdate', 'OrderbookUpdate', 1],
    ...(LEFT_OUT.pools === false ? ([['newPriceData', 'NewPriceData', 1]] as const) : []),
    ['oraclePriceData', 'OraclePriceData', 1],
    ['marketResolved', 'MarketResolvedEvent', 1],
    ['tx', 'TransactionEvent', 1],
  ] as const) {
    for (const value of await client.take(event, count)) typed.push({ type, value })
  }
  const isTerminal = (frame: unknown) => at(frame, 'type') === 'EXECUTION'
  const isSeen = (kind: string) => client.of('orderEvent').some((each) => at(each, 'type') === kind)
  await client.until(() => ['PLACEMENT', 'MATCHED', 'MINED', 'CANCELLATION'].every(isSeen))
  for (const value of client.of('orderEvent')) {
    if (!isTerminal(value)) typed.push({ type: 'OrderEvent', value })
  }
}

function assertTyped(): void {
  const folder = newFolder()
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const names = [...new Set(typed.map(({ type }) => type.replace('[]', '')))]
  const source = [
    `import type { ${names.join(', ')} } from '@limitless-exchange/sdk'`,
    'type Json<T> = T extends Date ? string',
    '  : T extends (infer U)[] ? readonly Json<U>[]',
    '  : T extends object ? { readonly [K in keyof T]: Read<T[K]> }',
    '  : T',
    'type Read<T> = undefined extends T ? Json<T> | null : Json<T>',
    'declare function is<T>(value: Json<T>): void',
    ...typed.flatMap(({ type, value }, index) => [
      `const value${index} = ${JSON.stringify(value)} as const`,
      `is<${type}>(value${index})`,
    ]),
    'export {}',
  ]
  writeFileSync(join(folder, 'replies.ts'), source.join('\n'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const { status, stdout } = checkTypes(folder, ['replies.ts'])
  const lines = stdout.split('\n').map((line) => {
    const [, at] = /^replies\.ts\(([0-9]+)/.exec(line) ?? []
    return at === undefined ? line : `${source[Number(at) - 1].slice(0, 60)} ${line.slice(0, 900)}`
  })
  assert.equal(status, 0, lines.join('\n'))
}
