import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { accepted, listAt, type Reply } from '../../../support/replies.ts'

// A group shows what happened in all its markets: while they trade, when they are resolved and some
// have left memory, and when the group has left it behind them.

const SHARE = 1_000_000
const { live, ann, ben } = await exchange({
  flags: ['--block-ms', '20'],
  fundsRaw: 1000 * SHARE,
  traders: { ann: { username: 'ann' }, ben: {} },
})

async function openGroup(slug: string, names: readonly string[]): Promise<readonly LiveMarket[]> {
  const markets = names.map((name) => ({ slug: `${slug}-${name}`, title: `Does ${name} win?` }))
  const made = await live.admin('/admin/groups', { slug, title: `Who wins ${slug}?`, markets })
  assert.equal(made.status, 201, made.text)
  return listAt(made, 'markets').map((child) => ({
    slug: textAt(child, 'slug'),
    tokens: [textAt(child, 'tokens', 'yes'), textAt(child, 'tokens', 'no')],
    exchange: textAt(child, 'venue', 'exchange'),
    feeBps: 0,
  }))
}

/** Ben buys YES at the price; `back` lets both give their shares back at the same price. */
async function tradeAt(market: LiveMarket, ticks: number, back = false): Promise<void> {
  const side = back ? 'sell' : 'buy'
  const wanted = { side, sizeRaw: SHARE } as const
  await live.placed(ann, market, { ...wanted, outcome: 1, ticks: 1000 - ticks })
  const taken = await live.place(ben, market, { ...wanted, outcome: 0, ticks })
  assert.equal(at(taken.body, 'execution', 'matched'), true, taken.text)
}

/** The prices and slugs of the trades of a reply, once there are so many. */
async function tradesOf(path: string, count: number, listOf: (reply: Reply) => readonly unknown[]) {
  for (;;) {
    const reply = await live.read(path)
    const found = listOf(reply)
    if (found.length >= count) return found
    await new Promise(setImmediate)
  }
}

const [reds, blues, greens] = await openGroup('cup', ['reds', 'blues', 'greens'])
const TRADES: readonly (readonly [LiveMarket, number])[] = [
  ...([[reds, 400] as const, [blues, 300] as const, [reds, 420] as const] as const),
  ...([[blues, 310] as const, [greens, 200] as const] as const),
]
for (const [market, ticks] of TRADES) await tradeAt(market, ticks)
for (const [market, ticks] of TRADES.slice(0, 4)) await tradeAt(market, ticks, true)
const PRICES = [...TRADES, ...TRADES.slice(0, 4)].map(([{ slug }, ticks]) => [slug, ticks / 1000])

/** What everybody reads of the group, at each stage of its life. */
async function readsWhole(): Promise<void> {
  const detail = await live.read('/markets/cup')
  assert.deepEqual(
    listAt(detail, 'markets').map((child) => at(child, 'slug')),
    [reds.slug, blues.slug, greens.slug],
  )
  const events = await tradesOf('/markets/cup/events', 9, (reply) => listAt(reply, 'events'))
  const newest = PRICES.toReversed()
  assert.deepEqual(
    events.map((event) => [at(event, 'title'), at(event, 'price')]),
    newest.map(([slug, price]) => [`Does ${String(slug).slice(4)} win?`, price]),
  )
  assert.equal(at(events[4], 'tokenId'), greens.tokens[0])
  const page = await live.read('/markets/cup/events?page=2&limit=4')
  assert.deepEqual(page.body, { events: events.slice(4, 8), totalPages: 3, page: 2, limit: 4 })
  const trades = listAt(await live.read('/markets/cup/trades'), 'trades')
  assert.deepEqual(
    trades.map((trade) => [at(trade, 'marketSlug'), at(trade, 'price')]),
    PRICES.map(([slug, ticks]) => [slug, ticks]),
  )
  const seqs = trades.map((trade) => Number(at(trade, 'seq')))
  const rest = listAt(await live.read(`/markets/cup/trades?afterSeq=${seqs[2]}&limit=3`), 'trades')
  assert.deepEqual(rest, trades.slice(3, 6))
  assert.equal(at(rest[0], 'prevSeq'), seqs[2])
  const feed = listAt(await live.read('/markets/cup/get-feed-events'), 'data', 'data')
  const reported = feed.filter((event) => at(event, 'eventType') === 'NEW_TRADE')
  assert.deepEqual(
    reported.map((event) => at(event, 'data', 'slug')),
    newest.map(([slug]) => slug),
  )
}

test('a group shows the trades of all its markets', readsWhole)

test('the trades of one market are its own', async () => {
  const trades = listAt(await live.read(`/markets/${reds.slug}/trades`), 'trades')
  assert.equal(trades.length, 4)
  assert.ok(trades.every((trade) => at(trade, 'marketSlug') === undefined))
  assert.equal(listAt(await live.read(`/markets/${reds.slug}/events`), 'events').length, 4)
})

test('a resolved group shows markets that left memory before it, after a restart too', async () => {
  await accepted(live.admin('/admin/groups/cup/resolve', { winner: blues.slug }))
  // Nobody holds shares of these two; those of the third keep it and the group in memory.
  await live.archived(reds.slug)
  await live.archived(blues.slug)
  assert.ok(live.exchange.pipeline.published.bySlug('cup'))
  await readsWhole()
  await live.restart()
  assert.equal(live.exchange.pipeline.published.bySlug(reds.slug), undefined)
  await readsWhole()
})

test('a group that left memory shows its markets', async () => {
  await openGroup('race', ['left', 'right'])
  await accepted(live.admin('/admin/groups/race/resolve', { winner: 'race-left' }))
  await live.archived('race')
  const detail = await live.read('/markets/race')
  assert.deepEqual(
    listAt(detail, 'markets').map((child) => [at(child, 'slug'), at(child, 'winningOutcomeIndex')]),
    [
      ['race-left', 0],
      ['race-right', 1],
    ],
  )
  const prices = await live.read('/markets/race/historical-price')
  assert.equal(at(prices.body, 1, 'slug'), 'race-right')
  assert.deepEqual((await live.read('/markets/race/trades')).body, { trades: [] })
})
