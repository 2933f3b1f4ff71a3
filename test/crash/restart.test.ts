import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Command } from '../../engine/domain/command.ts'
import { CANCEL_REASONS } from '../../engine/domain/event.ts'
import { newFolder } from '../support/data-folder.ts'
import {
  ExchangeClient,
  orderBody,
  SHARE,
  type TestMarket,
  type Trader,
  type Wanted,
} from '../support/exchange-client.ts'
import { recoverAll } from '../support/journal-records.ts'
import { at } from '../support/json-path.ts'
import { ADMIN_TOKEN, compileProgram, metricsOf, ServerProcess } from '../support/server-process.ts'
import { handshakeOf, SocketClient } from '../support/socket-client.ts'
import { until } from '../support/until.ts'

// A restart changes nothing that a client can see, whatever waits for its time. What waits happens
// when it is due, and once. The process uses the wall clock.

const HOUR_MS = 3_600_000
/** Longer than the whole comparison takes; the delay of a market may be no longer. */
const LONG_MS = 60_000
/** Longer than a start usually takes. After a slower start the deadlines have already passed. */
const SOON_MS = 6000
const QUOTES = 6
const GAUGES = ['open_orders', 'armed_heartbeats', 'trading_mode', 'trades_waiting']
const YES = { isBuy: true, outcome: 'yes', ticks: 500, sizeRaw: SHARE, type: 'GTC' } as const
const NO = { ...YES, outcome: 'no' } as const

await compileProgram()

const dataDir = newFolder()
const threads = ['--market-threads', '2']
const args = [...threads, '--no-rate-limit', '--block-ms', '0']
let server = await ServerProcess.start({ dataDir, args })
let client = new ExchangeClient(server.baseUrl)
after(() => server.signal('SIGKILL'))

let salt = 0
const orders = new Map<Trader, string[]>()

async function placed(trader: Trader, market: TestMarket, wanted: Omit<Wanted, 'salt'>) {
  const { order, execution } = await client.placed(trader, market, { ...wanted, salt: ++salt })
  orders.set(trader, [...(orders.get(trader) ?? []), order.id])
  return { id: order.id, state: execution.settlementStatus }
}

async function held(trader: Trader, market: TestMarket, shares: number): Promise<string> {
  const { id, state } = await placed(trader, market, { ...YES, sizeRaw: shares * SHARE })
  assert.equal(state, 'DELAYED')
  return id
}

const send = async (trader: Trader, path: string, body: object) => {
  const reply = await client.call(trader, 'POST', path, JSON.stringify(body))
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body
}

async function restarted(end: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (end === 'SIGTERM') await server.stop()
  else await server.kill()
  server = await ServerProcess.start({ dataDir, args })
  client = new ExchangeClient(server.baseUrl)
}

const market = {
  rain: await client.makeMarket('rain', true),
  slow: await client.makeMarket('slow', false, LONG_MS),
  soon: await client.makeMarket('soon', false, SOON_MS),
}
/** The orders of this market change while the exchange ends. */
const quotes = await client.makeMarket('quotes', false)
const money = 1000 * SHARE
const maker = await client.makeTrader('maker', money)
const taker = await client.makeTrader('taker', money)
const beater = await client.makeTrader('beater', money)
const leaver = await client.makeTrader('leaver', money)
const quoter = await client.makeTrader('quoter', money)
const traders = [maker, taker, beater, leaver]
const slugs = Object.keys(market)

async function positionsOf(trader: Trader): Promise<unknown[]> {
  const socket = await SocketClient.open(Number(new URL(client.baseUrl).port), {
    headers: handshakeOf(trader, Date.now()),
  })
  socket.socket.emit('subscribe_positions', { marketSlugs: slugs })
  const frames = await socket.take('positions', slugs.length)
  socket.close()
  return frames
}

/** The book without the number and the time of its frame, which begin again with a process. */
function lastingBook(book: unknown): object {
  assert.ok(typeof book === 'object' && book !== null)
  return { ...book, sequence: 0, timestamp: '' }
}

/** The profile without its place on a board, which the read tables count at their own pace. */
function withoutRank(profile: unknown): object {
  assert.ok(typeof profile === 'object' && profile !== null)
  return { ...profile, leaderboardPosition: null, isTop100: false }
}

/** Everything that traders, public and operator can see, except for the quoter's market. */
async function seen(): Promise<unknown> {
  const mine = traders.map(async (trader) => ({
    orders: await Promise.all(slugs.map((slug) => client.userOrders(trader, slug))),
    statuses: await send(trader, '/orders/status/batch', {
      items: (orders.get(trader) ?? []).map((orderId) => ({ orderId })),
    }),
    positions: await positionsOf(trader),
    balances: await client.balances(trader),
    profile: withoutRank((await client.call(trader, 'GET', '/profiles/me')).body),
  }))
  const metrics = await metricsOf(client.baseUrl)
  return {
    mine: await Promise.all(mine),
    books: await Promise.all(
      slugs.map(async (slug) => lastingBook(await client.get(`/markets/${slug}/orderbook`))),
    ),
    markets: await Promise.all(slugs.map((slug) => client.get(`/markets/${slug}`))),
    maintenance: await client.get('/maintenance/status'),
    gauges: GAUGES.map((name) => new RegExp(`^outcomex_${name} .*$`, 'm').exec(metrics)?.[0]),
  }
}

/** Ends the process while each of the quoter's orders is being replaced. */
async function endAmidReplaces(end: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const quote = { ...YES, ticks: 100, postOnly: true }
  const pairs: { old: string; clientOrderId: string }[] = []
  for (let each = 0; each < QUOTES; each++) {
    const { id } = await placed(quoter, quotes, quote)
    pairs.push({ old: id, clientOrderId: `replacement-${++salt}` })
  }
  let answered = () => {}
  const first = new Promise<void>((resolve) => {
    answered = resolve
  })
  const replies = pairs.map(async ({ old, clientOrderId }) => {
    const wanted = { ...quote, ticks: 200, clientOrderId, salt: ++salt }
    const replacement: unknown = JSON.parse(orderBody(quoter, quotes, wanted))
    const body = { cancel: { orderId: old }, replacement, mode: 'STOP_ON_FAILURE' }
    const path = '/orders/cancel-replace'
    const reply = await client.call(quoter, 'POST', path, JSON.stringify(body)).catch(() => null)
    answered()
    return reply?.status
  })
  await first
  await restarted(end)
  const reported = await Promise.all(replies)
  const rows = new Map<string, string>()
  for (const { id, clientOrderId = id, status } of await client.userOrders(quoter, 'quotes')) {
    rows.set(clientOrderId, status)
  }
  let reservedRaw = 0
  for (const [index, { old, clientOrderId }] of pairs.entries()) {
    const [before, later] = [rows.get(old), rows.get(clientOrderId)]
    if (reported[index] === 200) assert.deepEqual([before, later], ['CANCELED', 'LIVE'])
    else assert.ok(before === 'CANCELED' || later === undefined, 'the cancel comes first')
    reservedRaw += (before === 'LIVE' ? 100_000 : 0) + (later === 'LIVE' ? 200_000 : 0)
  }
  assert.equal((await client.balances(quoter)).reservedRaw, reservedRaw)
  assert.equal((await client.call(quoter, 'DELETE', '/orders/all/quotes')).status, 200)
  assert.deepEqual(await client.balances(quoter), { freeRaw: money, reservedRaw: 0 })
}

async function restrict(mode: string, startsAt: number, endsAt: number): Promise<unknown> {
  return at(await client.admin('/admin/trading-modes', { mode, startsAt, endsAt }), 'id')
}

let later = ''
let window: unknown

test('a restart amid held, expiring and heartbeat-armed orders changes nothing seen', async () => {
  const nowMs = Date.now()
  await placed(maker, market.rain, { ...NO, sizeRaw: 5 * SHARE })
  await placed(taker, market.rain, { ...YES, sizeRaw: 2 * SHARE })
  const expirationSec = Math.floor((nowMs + HOUR_MS) / 1000)
  await placed(leaver, market.rain, { ...YES, ticks: 300, expirationSec })
  await placed(maker, market.slow, NO)
  later = await held(taker, market.slow, 3)
  await placed(beater, market.rain, { ...YES, ticks: 200 })
  await held(beater, market.slow, 1)
  await send(beater, '/heartbeats', { cancelAt: nowMs + HOUR_MS })
  await restrict('disabled', nowMs + HOUR_MS, nowMs + 2 * HOUR_MS)
  window = await restrict('post_only', nowMs, nowMs + HOUR_MS)
  const before = await seen()
  for (const end of ['SIGTERM', 'SIGKILL'] as const) {
    await endAmidReplaces(end)
    assert.deepEqual(await seen(), before, end)
    const restricted = await client.place(taker, market.rain, { ...YES, salt: ++salt })
    assert.equal(at(restricted.body, 'code'), 'post_only_mode')
  }
})

interface Met {
  readonly what: string
  readonly nowMs: number
}

/** The deadlines that the journal has, with one entry for each order that a cancel names. */
function deadlinesOf(commands: readonly Command[], fromMs: number): Met[] {
  return commands.flatMap((command): Met[] => {
    const { kind, nowMs } = command
    if (nowMs < fromMs) return []
    if (kind === 'releaseOrder' || kind === 'fireHeartbeats') return [{ what: kind, nowMs }]
    const reason = kind === 'cancelOrders' ? CANCEL_REASONS[command.reason] : 'USER'
    if (kind !== 'cancelOrders' || reason === 'USER') return []
    return Array.from({ length: command.count }, () => ({ what: reason, nowMs }))
  })
}

test('after a restart each deadline is met once, and never early', async () => {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const path = `${client.baseUrl}/admin/trading-modes/${window}`
  assert.equal((await fetch(path, { method: 'DELETE', headers })).status, 200)
  assert.equal((await client.call(taker, 'DELETE', `/orders/${later}`)).status, 200)
  const fromMs = Date.now()
  await placed(maker, market.soon, NO)
  const entering = await held(taker, market.soon, 3)
  const expirationSec = Math.floor((fromMs + SOON_MS) / 1000)
  const { id: leaving } = await placed(leaver, market.rain, { ...YES, ticks: 301, expirationSec })
  const cancelAt = Date.now() + SOON_MS
  await send(beater, '/heartbeats', { cancelAt })
  const normalMs = cancelAt + 2000
  await restrict('cancel_only', fromMs, normalMs)
  await restarted('SIGKILL')
  const dataOf = async (trader: Trader, orderId: string) => {
    const body = await send(trader, '/orders/status/batch', { items: [{ orderId }] })
    return at(body, 'results', 0, 'data')
  }
  const stateOf = async () => at(await dataOf(taker, entering), 'execution', 'settlementStatus')
  await until(async () => {
    assert(!server.stderr.includes('fatal'))
    return (await stateOf()) !== 'DELAYED'
  })
  const entered = await dataOf(taker, entering)
  assert.equal(at(entered, 'order', 'status'), 'LIVE')
  assert.equal(at(entered, 'execution', 'totalsRaw', 'contractsGross'), String(SHARE))
  assert.equal(at(await dataOf(leaver, leaving), 'order', 'status'), 'CANCELED')
  const quiet = (await Promise.all(slugs.map((slug) => client.userOrders(beater, slug)))).flat()
  assert.deepEqual(
    quiet.map(({ status }) => status),
    ['CANCELED', 'CANCELED'],
  )
  assert.equal((await client.balances(beater)).reservedRaw, 0)
  await placed(maker, market.rain, { ...NO, ticks: 100 })
  const before = await seen()
  await restarted('SIGTERM')
  assert.deepEqual(await seen(), before)
  await server.stop()

  const deadlines = deadlinesOf(recoverAll(dataDir).commands, fromMs)
  const expected = [
    { what: 'fireHeartbeats', dueMs: cancelAt },
    { what: 'HEARTBEAT', dueMs: cancelAt },
    { what: 'HEARTBEAT', dueMs: cancelAt },
    { what: 'EXPIRED', dueMs: (expirationSec + 1) * 1000 },
    { what: 'releaseOrder', dueMs: normalMs },
  ]
  const sorted = (each: readonly { what: string }[]) => each.map(({ what }) => what).sort()
  assert.deepEqual(sorted(deadlines), sorted(expected))
  for (const { what, dueMs } of expected) {
    for (const met of deadlines) if (met.what === what) assert.ok(met.nowMs >= dueMs, what)
  }
})
