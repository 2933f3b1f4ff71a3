import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../../support/data-folder.ts'
import { metricsTable, shownTable } from '../../support/doc-tables.ts'
import { exchange } from '../../support/exchange.ts'
import { orderBody } from '../../support/live-orders.ts'

// The metrics of orders that came over HTTP.

const {
  live,
  watched: market,
  alice,
} = await exchange({
  flags: ['--trace', join(newFolder(), 'trace')],
  markets: ['watched'],
  traders: { alice: 100_000_000 },
})

/** The samples of GET /metrics that begin with `start`, each by the rest of its name and labels. */
async function samples(start: string): Promise<Map<string, number>> {
  const text = await live.metrics()
  const lines = text.split('\n').filter((line) => line.startsWith(start))
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(start.length, space), Number(line.slice(space + 1))]
    }),
  )
}

async function stepCounts(kind: string): Promise<Record<string, number>> {
  const found = await samples(`outcomex_step_seconds_count{kind="${kind}",step="`)
  return Object.fromEntries([...found].map(([rest, count]) => [rest.slice(0, -2), count]))
}

test('each order is counted once in every step that it reached', async () => {
  const ORDERS = 12
  for (let count = 0; count < ORDERS; count++) {
    await live.placed(alice, market, { ticks: 100 + count })
  }
  const all = ORDERS
  assert.deepEqual(await stepCounts('order'), {
    read: all,
    intake: all,
    sequence: all,
    journal: all,
    match: all,
    settle: all,
    publish: all,
    whole: all,
  })
  const dear = await live.place(alice, market, { ticks: 900, sizeRaw: 1_000_000_000_000 })
  assert.equal(dear.status, 400)
  const forged = await live.call(alice, 'POST', '/orders', orderBody(alice, market), {
    signedBody: '{}',
  })
  assert.equal(forged.status, 401)
  const large = await live.call(alice, 'POST', '/orders', ' '.repeat(70_000))
  assert.equal(large.status, 413)
  assert.deepEqual(await stepCounts('order'), {
    read: all + 2,
    intake: all + 2,
    sequence: all + 1,
    journal: all,
    match: all,
    settle: all,
    publish: all,
    whole: all + 3,
  })
})

test('buckets rise to their count, and the whole is at least as long as its steps', async () => {
  for (const step of ['read', 'match', 'whole']) {
    const labels = `{kind="order",step="${step}"`
    const buckets = [...(await samples(`outcomex_step_seconds_bucket${labels}`)).values()]
    assert.ok(buckets.every((count, index) => index === 0 || count >= buckets[index - 1]))
    const counts = await samples(`outcomex_step_seconds_count${labels}`)
    assert.equal(buckets.at(-1), counts.get('}'))
  }
  const sums = await samples('outcomex_step_seconds_sum{kind="order",step=')
  const sum = (step: string) => sums.get(`"${step}"}`) ?? Number.NaN
  const inRow = sum('intake') + sum('sequence') + sum('match') + sum('settle')
  assert.ok(inRow > 0 && inRow <= sum('whole'), `${inRow} of ${sum('whole')}`)
})

test('cancels and other changes have their own steps', async () => {
  const before = await stepCounts('cancel')
  assert.equal((await live.call(alice, 'DELETE', `/orders/all/${market.slug}`)).status, 200)
  const steps = await stepCounts('cancel')
  for (const step of ['journal', 'match', 'settle', 'read', 'whole']) {
    assert.equal(steps[step], before[step] + 1, step)
  }
  const changes = await stepCounts('change')
  await live.openMarket('watched-too')
  const later = await stepCounts('change')
  assert.equal(later.journal, changes.journal + 1)
  assert.equal(later.whole, changes.whole + 1)
})

test('commits, queues and the follower have metrics', async () => {
  await live.exchange.pipeline.whenIdle()
  const seq = live.exchange.pipeline.durableSeq
  assert.equal(await live.gauge('outcomex_journal_records_total'), seq)
  assert.equal(await live.gauge('outcomex_commit_records_sum'), seq)
  assert.ok((await live.gauge('outcomex_commit_seconds_sum')) > 0)
  const bytes = await live.gauge('outcomex_commit_bytes_sum')
  assert.ok(bytes >= 48 * seq && bytes % 8 === 0, `${bytes}`)
  assert.ok(await live.exchange.follower.whenApplied(seq, 5000))
  for (const name of [
    'replies_waiting',
    'replies_waiting_for_disk',
    'query_waiting',
    'journal_waiting_bytes',
    'market_waiting_bytes{thread="market-0"}',
    'follower_lag_commands',
    'follower_lag_seconds',
    'checkpoint_seconds_count{thread="checkpoint"}',
  ]) {
    assert.equal(await live.gauge(`outcomex_${name}`), 0, name)
  }
})

test('busy times and collections have series for each thread', async () => {
  await live.openMarket('watched-work')
  const seq = live.exchange.pipeline.durableSeq
  assert.ok(await live.exchange.follower.whenApplied(seq, 5000))
  await live.place(alice, market, { ticks: 100 })
  for (const thread of ['journal', 'follower', 'market-0', 'edge-0']) {
    const count = await live.gauge(`outcomex_busy_seconds_count{thread="${thread}"}`)
    assert.ok(count > 0, thread)
  }
  assert.ok((await live.gauge('outcomex_tables_commit_seconds_count')) > 0)
  for (const thread of ['main', 'journal', 'follower', 'query', 'market-0']) {
    const count = await live.gauge(`outcomex_collection_seconds_count{thread="${thread}"}`)
    assert.ok(count >= 0, thread)
  }
})

test('each thread reports how long it was busy, main and its commits too', async () => {
  const seq = live.exchange.pipeline.durableSeq
  assert.ok(await live.exchange.follower.whenApplied(seq, 5000))
  // All of one text: a later one has counted more.
  const all = await samples('outcomex_')
  const secOf = (name: string) => all.get(name) ?? -1
  const busyOf = (thread: string) => secOf(`thread_busy_seconds_total{thread="${thread}"}`)
  for (const thread of ['main', 'edge-0', 'market-0']) assert.ok(busyOf(thread) > 0, thread)
  const besides = { journal: 'commit_seconds', follower: 'tables_commit_seconds' }
  for (const [thread, commits] of Object.entries(besides)) {
    const spentSec = secOf(`${commits}_sum`)
    const workedSec = secOf(`busy_seconds_sum{thread="${thread}"}`)
    assert.ok(spentSec > 0 && workedSec > 0, thread)
    assert.ok(busyOf(thread) >= 0.999 * (spentSec + workedSec), thread)
  }
  assert.ok(busyOf('query') >= 0)
})

test('every metric has a sentence, a type and a row in the document', async () => {
  const text = await live.metrics()
  const helps = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)]
  assert.ok(helps.length > 20)
  for (const [, name, help] of helps) {
    assert.match(name, /^outcomex_[a-z_]+$/)
    assert.match(help, /^[A-Z].*\.$/)
    assert.match(text, new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`, 'm'))
  }
  const table = metricsTable(text)
  assert.equal(shownTable(table), table.text)
})
