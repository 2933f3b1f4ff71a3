import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REJECT, Reject } from '../../../../engine/domain/reject-precedence.ts'
import { MarketChanges } from '../../../../server/api/markets/market-changes.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { putMatch } from '../../../support/live-matches.ts'
import { type LiveMarket, orderBody } from '../../../support/live-orders.ts'
import { accepted, answered, assertRefused, codeOf } from '../../../support/replies.ts'
import { marketSpec } from '../../../support/specs.ts'

// A market that left memory is read, and refuses, as any resolved market (design §10).

const SHARE = 1_000_000
const UNKNOWN = 'never-there'
const { live, ann, ben } = await exchange({
  flags: ['--block-ms', '20'],
  fundsRaw: 100 * SHARE,
  traders: ['ann', 'ben'],
})

/** Both hold a share each and sell it again, so that nobody holds one when the market ends. */
async function traded(slug: string): Promise<LiveMarket> {
  const market = await live.openMarket(slug)
  for (const side of ['buy', 'sell'] as const) {
    for (const [trader, outcome] of [[ann, 0] as const, [ben, 1] as const]) {
      await live.placed(trader, market, { side, outcome, sizeRaw: SHARE })
    }
  }
  return market
}

async function resolve(slug: string) {
  const reply = await live.admin(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex: 0 })
  assert.equal(reply.status, 200, reply.text)
  return reply
}

const read = (path: string) => live.send('GET', path)
const ordersOf = (trader: Trader, slug: string) =>
  live.call(trader, 'GET', `/markets/${slug}/user-orders?statuses=MATCHED&statuses=CANCELED`)

const rain = await traded('rain')
const lastOrder = await live.place(ann, rain, { ticks: 100, sizeRaw: SHARE })
const orderId = String(at(lastOrder.body, 'order', 'id'))
await putMatch(live, 'derby', 1, ['rain'])
const ended = await resolve('rain')
assert.equal(at(ended.body, 'automationType'), 'sports')
await live.archived('rain')

/** What everybody reads of the archived market, which a restart does not change. */
async function readsAsResolved(): Promise<void> {
  const detail = await accepted(read('/markets/rain'))
  assert.deepEqual(detail.body, ended.body)
  assert.deepEqual(at(detail.body, 'prices'), [1, 0])
  assert.equal(codeOf(await read('/markets/rain/orderbook')), 'ORDERBOOK_INACTIVE')
  assert.equal(codeOf(await read(`/markets/${UNKNOWN}`)), 'MARKET_NOT_FOUND')
  assert.equal(codeOf(await read(`/markets/${UNKNOWN}/orderbook`)), 'MARKET_NOT_FOUND')
  const own = await accepted(ordersOf(ann, 'rain'))
  assert.ok(Array.isArray(own.body))
  assert.deepEqual(own.body.map((order) => at(order, 'status')).sort(), [
    'CANCELED',
    'MATCHED',
    'MATCHED',
  ])
  assert.equal(codeOf(await ordersOf(ann, UNKNOWN)), 'MARKET_NOT_FOUND')
  const status = await live.call(ann, 'POST', '/orders/status/batch', { items: [{ orderId }] })
  assert.equal(at(status.body, 'results', 0, 'status'), 'found', status.text)
  assert.equal(at(status.body, 'results', 0, 'data', 'order', 'market', 'slug'), 'rain')
  const canceled = await live.call(ann, 'DELETE', '/orders/all/rain')
  assert.deepEqual([canceled.status, at(canceled.body, 'canceled')], [200, []], canceled.text)
  const listed = await live.operator('GET', '/admin/markets?after=0&limit=50')
  assert.equal(at(listed.body, 'markets', 0, 'slug'), 'rain')
  assert.equal(at(listed.body, 'markets', 0, 'status'), 'RESOLVED')
}

async function refusesAsResolved(): Promise<void> {
  const buy = await live.place(ann, rain, { sizeRaw: SHARE })
  assertRefused(buy, 400, 'MARKET_NOT_TRADABLE')
  const again = await live.place(ann, rain, { sizeRaw: SHARE })
  assert.equal(codeOf(again), 'MARKET_NOT_TRADABLE')
  const other = await live.place(ann, { ...rain, tokens: ['1', '2'] }, { sizeRaw: SHARE })
  assert.equal(codeOf(other), 'TOKEN_NOT_IN_MARKET', 'the intake knows the market again')
  const none = await live.place(ann, { ...rain, slug: UNKNOWN }, { sizeRaw: SHARE })
  assertRefused(none, 404, 'MARKET_NOT_FOUND')
  const orders = ['rain', UNKNOWN].map((slug) => orderBody(ann, { ...rain, slug }))
  const batch = await live.call(ann, 'POST', '/orders/batch', { orders })
  const codes = [0, 1].map((index) => at(batch.body, 'results', index, 'code'))
  assert.deepEqual(codes, ['MARKET_NOT_TRADABLE', 'MARKET_NOT_FOUND'], batch.text)
  const resolved = await live.admin('/admin/markets/rain/resolve', { winningOutcomeIndex: 1 })
  assert.equal(codeOf(resolved), 'MARKET_RESOLVED')
  const taken = await live.admin('/admin/markets', { kind: 'clob', slug: 'rain', title: 'Again?' })
  assertRefused(taken, 409, 'SLUG_TAKEN')
}

test('an archived market is read and refuses as a resolved one, after a restart too', async () => {
  assert.equal(live.exchange.pipeline.clearing.catalogue.count, 0, 'it is in memory no more')
  await readsAsResolved()
  await refusesAsResolved()
  await live.restart()
  await readsAsResolved()
  await refusesAsResolved()
})

test('a name that no market can have is not found, as any unknown one', async () => {
  const reads = ['', '/orderbook', '/timeline', '/events', '/historical-price', '/packs']
  for (const name of ['RAIN', 'rain_or_snow', '-rain', 'r%C3%A9gen']) {
    for (const of of reads) {
      const reply = await read(`/markets/${name}${of}`)
      assertRefused(reply, 404, 'MARKET_NOT_FOUND', `${name}${of}`)
    }
    assert.equal(codeOf(await read(`/markets/stable/${name}`)), 'MARKET_NOT_FOUND')
    assert.equal(codeOf(await ordersOf(ann, name)), 'MARKET_NOT_FOUND')
    const canceled = await live.call(ann, 'DELETE', `/orders/all/${name}`)
    assert.equal(codeOf(canceled), 'MARKET_NOT_FOUND')
  }
  const long = await read(`/markets/${'r'.repeat(200)}/orderbook`)
  assert.equal(codeOf(long), 'VALIDATION')
})

test('of markets with one fresh slug at the same moment one is made', async () => {
  const made = await Promise.all(
    [1, 2, 3].map(() =>
      live.admin('/admin/markets', { kind: 'clob', slug: 'once', title: 'Once?' }),
    ),
  )
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 409, 409])
})

test('a flood of slugs that never were costs each caller its own 404', async () => {
  const slugs = Array.from({ length: 150 }, (_each, number) => `${UNKNOWN}-${number}`)
  const reads = slugs.map((slug) => live.read(`/markets/${slug}`))
  const orders = slugs.map((slug) => {
    return answered(() => live.place(ann, { ...rain, slug }, { sizeRaw: SHARE }))
  })
  const own = ordersOf(ben, 'rain')
  const codes = (await Promise.all([...reads, ...orders])).map(codeOf)
  assert.deepEqual(new Set(codes), new Set(['MARKET_NOT_FOUND']))
  assert.equal((await own).status, 200)
})

test('a slug is taken while the tables are queried for it', async () => {
  const { pipeline, shards } = live.exchange
  let report: (isUsed: boolean) => void = () => {}
  const requested = new Promise<boolean>((resolve) => {
    report = resolve
  })
  const changes = new MarketChanges(pipeline, shards, () => requested)
  const lastId = () => pipeline.clearing.catalogue.lastId
  const spec = marketSpec(lastId() + 1, { slug: 'slow' })
  const first = changes.create(spec)
  assert.equal(await changes.create(spec), REJECT.SLUG_TAKEN)
  report(false)
  const made = await first
  assert.equal(made instanceof Reject ? made.name : made.market.marketId, lastId())
})

test('a market gets the book of one that is over, and trades there', async () => {
  const snow = await traded('snow')
  const { catalogue } = live.exchange.pipeline.clearing
  const { book } = catalogue.bySlug('snow') ?? {}
  await resolve('snow')
  await live.archived('snow')
  const sun = await traded('sun')
  assert.equal(catalogue.bySlug('sun')?.book, book)
  assert.equal(codeOf(await live.place(ann, snow, { sizeRaw: SHARE })), 'MARKET_NOT_TRADABLE')
  await live.placed(ann, sun, { ticks: 50, sizeRaw: SHARE })
  const { body } = await read('/markets/sun/orderbook')
  assert.deepEqual(at(body, 'bids'), [{ price: 0.05, size: SHARE, side: 'BUY' }])
})

test('a market of a match is of sports after a restart too', async () => {
  await putMatch(live, 'cup', 2, ['sun'])
  await live.restart()
  const listed = await read('/markets/active?automationType=sports')
  assert.equal(at(listed.body, 'data', 0, 'slug'), 'sun')
  assert.equal(at((await read('/markets/sun')).body, 'automationType'), 'sports')
})
