import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { accepted, codeOf, listAt, type Reply } from '../../../support/replies.ts'

// Trades, prices and feed of a market, as everybody reads them.

const SHARE = 1_000_000
const { live, ann, ben } = await exchange({
  flags: ['--block-ms', '20'],
  fundsRaw: 1000 * SHARE,
  traders: { ann: { username: 'ann' }, ben: {} },
})

const read = (path: string): Promise<Reply> => live.read(path)

const rain = await live.openMarket('rain')

/** Ann offers NO at 1 − p, and Ben takes it with YES at p: a trade at the YES price p. */
async function tradeAt(ticks: number, sizeRaw = SHARE): Promise<void> {
  await live.placed(ann, rain, { outcome: 1, ticks: 1000 - ticks, sizeRaw })
  const taken = await live.place(ben, rain, { outcome: 0, ticks, sizeRaw })
  assert.equal(at(taken.body, 'execution', 'matched'), true, taken.text)
}

async function mined(count: number): Promise<readonly unknown[]> {
  for (;;) {
    const events = listAt(await read('/markets/rain/events'), 'events')
    if (events.length >= count) return events
    await new Promise(setImmediate)
  }
}

test('a market without trades has no events, no prices and a feed of its creation', async () => {
  const events = await read('/markets/rain/events')
  assert.deepEqual(events.body, { events: [], totalPages: 0 })
  const series = await read('/markets/rain/historical-price')
  assert.deepEqual(series.body, { title: 'Will rain?', prices: [] })
  assert.deepEqual((await read('/markets/rain/trades')).body, { trades: [] })
  const feed = await read('/markets/rain/get-feed-events')
  assert.equal(at(feed.body, 'data', 'totalPages'), 1)
  const [created] = listAt(feed, 'data', 'data')
  assert.equal(at(created, 'eventType'), 'MARKET_CREATED')
})

test('an unknown slug is 404, and a wrong parameter is 400', async () => {
  for (const path of ['events', 'get-feed-events', 'historical-price', 'trades']) {
    assert.equal(codeOf(await read(`/markets/never-there/${path}`)), 'MARKET_NOT_FOUND', path)
  }
  const wrong = [
    'events?limit=0',
    'events?limit=101',
    'events?page=0',
    'events?page=1e9',
    'events?page=1.5',
    'events?cursor=1',
    'get-feed-events?limit=101',
    'historical-price?interval=2d',
    'historical-price?interval=',
    'historical-price?from=yesterday',
    'historical-price?to=2026-01-01T00:00:00',
    'historical-price?from=1767225600000',
    'historical-price?from=99999999999',
    'historical-price?from=1767225600&to=1767225599',
    'historical-price?fidelity=0',
    'historical-price?fidelity=43201',
    'historical-price?fidelity=1.5',
    'trades?afterSeq=-1',
    'trades?afterSeq=99999999999999999999',
    'trades?limit=101',
  ]
  for (const path of wrong) assert.equal((await read(`/markets/rain/${path}`)).status, 400, path)
})

test('mined trades come newest first, by page, with their taker and hash', async () => {
  for (const ticks of [400, 520, 480]) await tradeAt(ticks)
  const events = await mined(3)
  assert.deepEqual(
    events.map((event) => at(event, 'price')),
    [0.48, 0.52, 0.4],
  )
  const [newest] = events
  assert.equal(at(newest, 'profile', 'id'), ben.profileId)
  assert.equal(at(newest, 'side'), 0)
  assert.equal(at(newest, 'tokenId'), rain.tokens[0])
  assert.equal(at(newest, 'matchedSize'), String(SHARE))
  assert.equal(at(newest, 'makerAmount'), 480_000)
  assert.match(String(at(newest, 'txHash')), /^0x[0-9a-f]{64}$/)
  const page = await read('/markets/rain/events?page=2&limit=2')
  assert.deepEqual(page.body, { events: events.slice(2), totalPages: 2, page: 2, limit: 2 })
  const behind = await read('/markets/rain/events?page=1000000000&limit=100')
  assert.deepEqual(behind.body, { events: [], totalPages: 1 })
})

test('the feed has each trade once over all of its pages', async () => {
  const whole = listAt(await read('/markets/rain/get-feed-events'), 'data', 'data')
  assert.deepEqual(
    whole.map((event) => at(event, 'eventType')),
    ['NEW_TRADE', 'NEW_TRADE', 'NEW_TRADE', 'MARKET_CREATED'],
  )
  const pages: unknown[] = []
  for (const page of [1, 2, 3]) {
    const reply = await read(`/markets/rain/get-feed-events?limit=3&page=${page}`)
    assert.equal(at(reply.body, 'data', 'totalPages'), 2)
    pages.push(...listAt(reply, 'data', 'data'))
  }
  assert.deepEqual(pages, whole)
})

test('the tape goes on after each seq, and names the trade before', async () => {
  const trades = listAt(await read('/markets/rain/trades'), 'trades')
  assert.deepEqual(
    trades.map((trade) => at(trade, 'price')),
    [0.4, 0.52, 0.48],
  )
  const seqs = trades.map((trade) => Number(at(trade, 'seq')))
  assert.deepEqual(
    trades.map((trade) => at(trade, 'prevSeq')),
    [0, ...seqs.slice(0, -1)],
  )
  for (const [index, seq] of seqs.entries()) {
    const rest = await read(`/markets/rain/trades?afterSeq=${seq}`)
    assert.deepEqual(rest.body, { trades: trades.slice(index + 1) })
    const one = await read(`/markets/rain/trades?afterSeq=${seq - 1}&limit=1`)
    assert.deepEqual(one.body, { trades: [trades[index]] })
  }
  const newest = await read('/markets/rain/trades?limit=1')
  assert.deepEqual(newest.body, { trades: trades.slice(2) })
})

test('the newest point of a price series is the last price, carried forward', async () => {
  for (const interval of ['5m', '1h', '6h', '1d', '1w', '1m', 'all']) {
    const reply = await read(`/markets/rain/historical-price?interval=${interval}`)
    const [newest] = listAt(reply, 'prices')
    assert.equal(at(newest, 'price'), 0.48, interval)
  }
  live.shiftClock(3 * 60_000)
  const hour = await read('/markets/rain/historical-price?interval=1h')
  const shown = listAt(hour, 'prices')
  assert.ok(shown.length >= 3 && shown.length <= 5, hour.text)
  assert.equal(at(shown[0], 'price'), 0.48)
})

test('a price series takes from and to, in seconds or ISO 8601, and a fidelity', async () => {
  const path = '/markets/rain/historical-price'
  const trades = listAt(await read('/markets/rain/trades'), 'trades')
  const [first, ...rest] = trades.map((each) => Date.parse(String(at(each, 'timestamp'))))
  const last = rest.at(-1) ?? first
  const sec = (ms: number) => Math.floor(ms / 1000)
  const pricesOf = async (query: string) =>
    listAt(await read(`${path}?${query}`), 'prices').map((each) => at(each, 'price'))
  // A part that ends before the first trade is empty, and one after the last trade has its price.
  assert.deepEqual(await pricesOf(`from=${sec(first) - 100}&to=${sec(first) - 50}`), [])
  const after = await pricesOf(`from=${sec(last) + 60}&to=${sec(last) + 120}&fidelity=1`)
  assert.deepEqual(new Set(after), new Set([0.48]))
  assert.equal(after.length, 2)
  const iso = (ms: number) => encodeURIComponent(new Date(sec(ms) * 1000).toISOString())
  const inSeconds = await read(`${path}?from=${sec(first)}&to=${sec(last) + 100}`)
  const inIso = await read(`${path}?from=${iso(first)}&to=${iso(last + 100_000)}`)
  assert.ok(listAt(inSeconds, 'prices').length > 10, inSeconds.text)
  assert.deepEqual(inIso.body, inSeconds.body)
  const date = new Date(first).toISOString().slice(0, 10)
  assert.equal((await pricesOf(`from=${date}`))[0], 0.48, 'a date is its first moment, UTC')
  // Without a time the newest points come, as clients of several exchanges ask for candles.
  const points = listAt(await read(`${path}?fidelity=60`), 'prices')
  assert.equal(at(points[0], 'price'), 0.48)
  assert.match(String(at(points[0], 'timestamp')), /:00:00\.000Z$/)
  assert.equal((await pricesOf('interval=1h&fidelity=60')).length, 1)
  // Old clients name an interval beside their times.
  const beside = await read(`${path}?interval=1h&from=${sec(first)}&to=${sec(last) + 100}`)
  assert.deepEqual(beside.body, inSeconds.body)
})

test('a fidelity that gives too many points is refused, with one that fits', async () => {
  const path = '/markets/rain/historical-price'
  const fine = await read(`${path}?interval=1w&fidelity=1`)
  assert.equal(codeOf(fine), 'VALIDATION')
  const stated = String(at(fine.body, 'message', 0, 'message'))
  assert.match(stated, /at most 500 points fit: choose [0-9]+ or more/)
  const least = Number(/choose ([0-9]+)/.exec(stated)?.[1])
  assert.equal((await read(`${path}?interval=1w&fidelity=${least}`)).status, 200)
  const from = Math.floor(live.nowMs() / 1000) - 7 * 86_400
  const part = await read(`${path}?from=${from}&fidelity=1`)
  assert.equal(at(part.body, 'message', 0, 'field'), 'fidelity')
  assert.equal((await read(`${path}?from=${from}&fidelity=${least}`)).status, 200)
})

test('tickers show the last day, also after a restart', async () => {
  const before = await read('/markets/tickers')
  const [line] = listAt(before, 'tickers')
  assert.equal(at(line, 'last'), 0.48)
  assert.equal(at(line, 'open24h'), 0.4)
  assert.equal(at(line, 'high24h'), 0.52)
  assert.equal(at(line, 'low24h'), 0.4)
  assert.equal(at(line, 'change24h'), 0.08)
  assert.equal(at(line, 'volume24h'), '1400000')
  await live.restart()
  const [again] = listAt(await read('/markets/tickers'), 'tickers')
  assert.deepEqual(again, line)
})

test('a trade that is taken back stays on the tape, and leaves the prices', async () => {
  await accepted(live.admin('/admin/settlement/faults', { next: 1, outcome: 'FAILED' }))
  await tradeAt(900)
  const newest = async () => listAt(await read('/markets/rain/trades?limit=1'), 'trades')[0]
  while (at(await newest(), 'busted') !== true) await new Promise(setImmediate)
  assert.equal(at(await newest(), 'price'), 0.9)
  const series = await read('/markets/rain/historical-price?interval=5m')
  assert.equal(at(listAt(series, 'prices')[0], 'price'), 0.48)
  assert.equal((await mined(3)).length, 3)
  const afterwards = await read('/markets/rain/events?limit=1')
  assert.equal(at(afterwards.body, 'totalPages'), 3)
})

test('several books come in one reply, with the slugs that have none', async () => {
  await live.openMarket('snow')
  const book = (await read('/markets/rain/orderbook')).body
  const snow = (await read('/markets/snow/orderbook')).body
  const both = await read('/markets/orderbooks?slugs=snow,never-there,rain,snow')
  const books = [
    { slug: 'snow', book: snow },
    { slug: 'rain', book },
  ]
  assert.deepEqual(both.body, { books, missing: ['never-there'] })
  const none = await read('/markets/orderbooks?slugs=never-there')
  assert.deepEqual(none.body, { books: [], missing: ['never-there'] })
  const many = Array.from({ length: 51 }, (_each, index) => `m${index}`).join(',')
  for (const slugs of ['', ',', 'a,,b', 'A', many, 'a%22b', 'x'.repeat(129)]) {
    assert.equal((await read(`/markets/orderbooks?slugs=${slugs}`)).status, 400, slugs)
  }
})

test('a resolved market keeps its history, and its series ends there', async () => {
  await accepted(live.admin('/admin/markets/rain/resolve', { winningOutcomeIndex: 0 }))
  const feed = await read('/markets/rain/get-feed-events?limit=1')
  assert.equal(at(feed.body, 'data', 'totalPages'), 5)
  const [end] = listAt(feed, 'data', 'data')
  assert.equal(at(end, 'eventType'), 'MARKET_RESOLVED')
  assert.equal(at(end, 'data', 'outcome'), 'YES')
  live.shiftClock(24 * 3_600_000)
  const series = await read('/markets/rain/historical-price?interval=5m')
  const [newest] = listAt(series, 'prices')
  assert.ok(Date.parse(String(at(newest, 'timestamp'))) <= Date.parse(String(at(end, 'timestamp'))))
  assert.equal(listAt(await read('/markets/rain/events'), 'events').length, 3)
  assert.ok(!(await read('/markets/tickers')).text.includes('"rain"'))
})

test('a trading program finds ticks, sizes, fees and limits in one reply', async () => {
  const info = await accepted(read('/exchange-info'))
  assert.equal(at(info.body, 'prices', 'tick'), 0.001)
  assert.equal(at(info.body, 'sizes', 'stepRaw'), 1000)
  assert.equal(at(info.body, 'chain', 'exchange'), rain.exchange)
  assert.equal(at(info.body, 'blockMs'), 20)
  assert.deepEqual(
    listAt(info, 'rateLimits', 'address').map((rate) => at(rate, 'lane')),
    ['public', 'private', 'trade', 'auth'],
  )
})
