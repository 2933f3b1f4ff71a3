import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { accepted, assertRefused, codeOf } from '../../../support/replies.ts'

// Series, slots and groups as a client sees them (rules §6.3, §10).

const { live } = await exchange({ flags: ['--block-ms', '0'] })

const read = (path: string) => live.send('GET', path)
const SERIES = {
  symbol: 'BTC',
  frequency: 'minutely',
  subFrequency: 'minutes_5',
  stableSlug: 'btc-5min-price',
  slugPrefix: 'btc-5m',
  title: 'Bitcoin up or down',
  assetName: 'Bitcoin',
  slotsAhead: 3,
}
const BY_SYMBOL = '/markets/timeline?symbol=BTC&frequency=minutely&subFrequency=minutes_5'

/** Lets the clock of slots do what is due. */
async function settle(): Promise<void> {
  for (let tick = 0; tick < 10; tick++) {
    live.exchange.pipeline.tick()
    await live.exchange.pipeline.whenIdle()
  }
}

await accepted(live.admin('/admin/series', { ...SERIES, strikePrice: '95000.5' }), 201)
await settle()

test('a series shows its current slot, the next one and those ahead', async () => {
  const { body, status, text } = await read(`${BY_SYMBOL}&before=0&after=2`)
  assert.equal(status, 200, text)
  assert.equal(at(body, 'current', 'state'), 'OPEN')
  assert.equal(at(body, 'current', 'tradable'), true)
  assert.equal(at(body, 'next', 'state'), 'PRE_OPEN')
  assert.equal(at(body, 'next', 'startAt'), at(body, 'current', 'endAt'))
  const batch = [0, 1, 2].map((index) => at(body, 'batch', index, 'index'))
  assert.deepEqual(batch, [0, 1, 2])
  const left = Number(at(body, 'current', 'countdownSec'))
  assert.equal(
    Number(at(body, 'next', 'countdownSec')),
    left,
    'it begins when the current one ends',
  )
  assert.ok(left > 0 && left <= 300)
})

const ASSET = { ticker: 'BTC', assetType: 'crypto', pythAddress: '', symbol: 'BTC/USD' }

test('a timeline slot has its asset, and its timeline the stable slug of the series', async () => {
  const line = await read(BY_SYMBOL)
  const slug = String(at(line.body, 'current', 'slug'))
  const market = await read(`/markets/${slug}`)
  assert.deepEqual(at(market.body, 'priceOracleMetadata'), { ...ASSET, name: 'Bitcoin', logo: '' })
  const ofSlug = await read(`/markets/${slug}/timeline`)
  assert.equal(at(ofSlug.body, 'job', 'stableSlug'), SERIES.stableSlug)
  const plain = await live.admin('/admin/markets', { kind: 'clob', slug: 'plain', title: 'Plain?' })
  assert.equal(at(plain.body, 'priceOracleMetadata'), undefined)
})

test('the stable slug names the market of the current slot', async () => {
  const current = String(at((await read(BY_SYMBOL)).body, 'current', 'slug'))
  const stable = await read('/markets/stable/btc-5min-price')
  assert.equal(at(stable.body, 'slug'), current)
  assert.equal(at(stable.body, 'metadata', 'openPrice'), '95000.5')
  assert.equal(at(stable.body, 'automationType'), 'lumy')
  const slugs = (await read('/markets/active/slugs')).body
  assert.ok(Array.isArray(slugs))
  const entry = slugs.find((each) => at(each, 'slug') === current)
  assert.deepEqual([at(entry, 'ticker'), at(entry, 'strikePrice')], ['BTC', '95000.5'])
  const next = String(at(stable.body, 'nextMarket', 'slug'))
  const wrapped = await read(`/markets/${current}?include=timelinePreview,nextMarket`)
  assert.equal(at(wrapped.body, 'market', 'nextMarket', 'slug'), next)
  const { market, timelinePreview, ...same } = Object(wrapped.body)
  assert.ok(timelinePreview !== undefined)
  assert.deepEqual(same, market, 'the envelope has the fields of the market too')
  assert.equal(at(wrapped.body, 'timelinePreview', 'anchor', 'slug'), current)
  const ahead = await read(`/markets/${next}/timeline?before=1&after=0`)
  assert.deepEqual(
    [0, 1].map((index) => at(ahead.body, 'batch', index, 'index')),
    [-1, 0],
  )
  assert.equal(at(ahead.body, 'job', 'subFrequency'), 'minutes_5')
  const book = await read(`/markets/${next}/orderbook`)
  assert.equal(book.status, 200, 'the book of a slot can be read before it opens')
})

test('timelines refuse what is not theirs', async () => {
  for (const [path, status, code] of [
    ['/markets/timeline?symbol=BTC&frequency=minutely', 400, 'VALIDATION'],
    ['/markets/timeline?symbol=BTC&frequency=daily&subFrequency=hours_1', 400, 'VALIDATION'],
    [`${BY_SYMBOL}&before=501`, 400, 'VALIDATION'],
    [`${BY_SYMBOL}&after=-1`, 400, 'VALIDATION'],
    ['/markets/timeline?symbol=ETH&frequency=daily', 404, 'SERIES_NOT_FOUND'],
    ['/markets/no-such/timeline', 404, 'MARKET_NOT_FOUND'],
    ['/markets/stable/no-such', 404, 'MARKET_NOT_FOUND'],
    ['/markets/btc-5min-price?include=everything', 400, 'VALIDATION'],
    ['/markets/no-such/oracle-candles', 404, 'MARKET_NOT_FOUND'],
    ['/markets/no-such/oracle-candles?interval=2m', 400, 'VALIDATION'],
  ] as const) {
    assertRefused(await read(path), status, code)
  }
})

test('the address of a pool, which has no oracle, names it in any spelling', async () => {
  const pool = await live.admin('/admin/markets', { kind: 'amm', slug: 'lake', title: 'Lake?' })
  const address = String(at(pool.body, 'address'))
  for (const name of [address, address.toLowerCase()]) {
    assertRefused(await read(`/markets/${name}/oracle-candles`), 400, 'NO_ORACLE')
  }
  const unknown = await read(`/markets/0x${'A'.repeat(40)}/oracle-candles`)
  assertRefused(unknown, 404, 'MARKET_NOT_FOUND')
})

test('candles join the reports of the oracle, however they come', async () => {
  const nowMs = live.exchange.pipeline.sequencer.nowMs()
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000 - 60_000
  const report = (price: string, afterMs: number) => ({
    symbol: 'BTC',
    price,
    atMs: Math.max(minuteMs + afterMs, nowMs - 59_000),
  })
  const reports = [report('100', 60_001), report('130.25', 60_003), report('90', 60_002)]
  const taken = await live.admin('/admin/oracle/prices', {
    reports: reports.map((each) => ({ ...each, atMs: Math.min(each.atMs, nowMs) })),
  })
  assert.equal(taken.status, 200, taken.text)
  const current = String(at((await read(BY_SYMBOL)).body, 'current', 'slug'))
  const candles = await accepted(read(`/markets/${current}/oracle-candles?interval=1d`))
  assert.equal(at(candles.body, 'symbol'), 'BTC/USD')
  assert.deepEqual(
    ['high', 'low'].map((name) => at(candles.body, 'rows', 0, name)),
    [130.25, 90],
  )
  const unknown = await live.admin('/admin/oracle/prices', {
    reports: [{ symbol: 'ETH', price: '1' }],
  })
  assertRefused(unknown, 400, 'SYMBOL_UNKNOWN')
})

test('slots are resolved, and the timeline keeps those that left memory', async () => {
  const first = String(at((await read(BY_SYMBOL)).body, 'current', 'slug'))
  const endMs = Date.parse(String(at((await read(BY_SYMBOL)).body, 'current', 'endAt')))
  live.shiftClock(endMs - live.exchange.pipeline.sequencer.nowMs())
  const report = { symbol: 'BTC', price: '95000.5', atMs: endMs }
  assert.equal((await live.admin('/admin/oracle/prices', { reports: [report] })).status, 200)
  await settle()
  live.shiftClock(10_000)
  await settle()
  const line = await read(`/markets/${first}/timeline`)
  assert.equal(at(line.body, 'batch', 0, 'state'), 'SETTLED')
  assert.equal(at(line.body, 'current', 'state'), 'OPEN')
  const ended = await read(`/markets/${first}`)
  assert.equal(at(ended.body, 'winningOutcomeIndex'), 0)
  assert.equal(at(ended.body, 'metadata', 'closePrice'), '95000.5')
  const { published } = live.exchange.pipeline
  assert.equal(published.bySlug(first), undefined, 'it is in memory no more')
  assert.equal(at(ended.body, 'priceOracleMetadata', 'name'), 'Bitcoin')
})

test('a group is one market with children, and one of them wins', async () => {
  const group = {
    slug: 'cup-winner',
    title: 'Who wins the cup?',
    markets: [
      { slug: 'reds-win', title: 'Do the Reds win?', proxyTitle: 'Reds' },
      { slug: 'blues-win', title: 'Do the Blues win?', proxyTitle: 'Blues' },
    ],
  }
  const created = await accepted(live.admin('/admin/groups', group), 201)
  assert.deepEqual(at(created.body, 'outcomeTokens'), ['Reds', 'Blues'])
  const child = await read('/markets/reds-win')
  const groupId = at(created.body, 'id')
  for (const each of [child.body, at(created.body, 'markets', 0)]) {
    assert.deepEqual([at(each, 'groupSlug'), at(each, 'groupId')], ['cup-winner', groupId])
  }
  assert.equal(at(created.body, 'groupSlug'), undefined)
  assert.equal(at(child.body, 'orderInGroup'), 0)
  assert.equal(at(child.body, 'venue', 'adapter'), at(created.body, 'venue', 'adapter'))
  assertRefused(await read('/markets/cup-winner/orderbook'), 404, 'MARKET_NOT_FOUND')
  const alone = await live.admin('/admin/markets/reds-win/resolve', { winningOutcomeIndex: 0 })
  assertRefused(alone, 409, 'MARKET_OF_GROUP')
  const path = '/admin/groups/cup-winner/resolve'
  assert.equal(codeOf(await live.admin(path, { winner: 'rain' })), 'WINNER_NOT_IN_GROUP')
  const resolved = await live.admin(path, { winner: 'blues-win' })
  assert.equal(at(resolved.body, 'status'), 'RESOLVED')
  assert.equal(at(resolved.body, 'markets', 1, 'winningOutcomeIndex'), 0)
  assert.equal(at(resolved.body, 'markets', 0, 'winningOutcomeIndex'), 1)
})

test('a market is edited, locked, unlocked and flagged', async () => {
  await live.admin('/admin/markets', { kind: 'clob', slug: 'snow', title: 'Snow?' })
  const edited = await live.operator('PATCH', '/admin/markets/snow', {
    title: 'Will it snow?',
    dailyRewardRaw: 100_000_000,
  })
  assert.equal(edited.status, 200, edited.text)
  assert.equal(at(edited.body, 'title'), 'Will it snow?')
  assert.equal(at(edited.body, 'settings', 'dailyReward'), '100')
  const lock = () => live.admin('/admin/markets/snow/lock', {})
  assert.equal(at((await lock()).body, 'status'), 'LOCKED')
  assertRefused(await lock(), 409, 'MARKET_STATUS')
  const unlocked = await live.admin('/admin/markets/snow/unlock', {})
  assert.equal(at(unlocked.body, 'status'), 'FUNDED')
  const pool = await live.admin('/admin/markets', { kind: 'amm', slug: 'pool', title: 'Pool?' })
  assert.equal(at(pool.body, 'status'), 'DRAFT')
  const byAddress = await read(`/markets/${String(at(pool.body, 'address'))}`)
  assert.equal(at(byAddress.body, 'slug'), 'pool')
  assertRefused(await read('/markets/pool/orderbook'), 400, 'ORDERBOOK_OF_POOL')
})
