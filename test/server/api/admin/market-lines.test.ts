import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAdminLine } from '../../../support/admin-line.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { codeOf, type Reply } from '../../../support/replies.ts'

// Markets, groups and series through their whole life by lines of `outcomex admin`, each sent to a
// running exchange as the shell would send it.

const { live } = await exchange({ flags: ['--block-ms', '0'] })

function admin(...line: string[]): Promise<Reply> {
  const { method, path, body } = readAdminLine(line).call
  return live.operator(method, path, body === '' ? undefined : body)
}

async function done(...line: string[]): Promise<unknown> {
  let reply = await admin(...line)
  // A busy machine may answer a read too late; every client comes again then.
  while (reply.status === 503) reply = await admin(...line)
  assert.ok(reply.status < 300, `${line.join(' ')}: ${reply.text}`)
  return reply.body
}

test('a market is made, edited, locked, unlocked, flagged and resolved by lines', async () => {
  await done('market', 'snow', 'Snow?', '--fee', '--tags', 'winter', '--taker-delay', '500')
  const edited = await done('edit-market', 'snow', '--title', 'Snow soon?', '--daily-reward', '2.5')
  assert.equal(at(edited, 'title'), 'Snow soon?')
  assert.equal(at(edited, 'settings', 'dailyReward'), '2.5')
  assert.equal(at(await done('edit-market', 'snow', '--tags', ''), 'tags', 0), undefined)
  assert.equal(at(await done('lock', 'snow'), 'status'), 'LOCKED')
  assert.equal(at(await done('unlock', 'snow'), 'status'), 'FUNDED')
  assert.equal(at(await done('flag', 'snow'), 'status'), 'FUNDED_FLAGGED')
  assert.equal(at(await done('unflag', 'snow'), 'status'), 'FUNDED')
  const split = await done('resolve', 'snow', '3:1')
  assert.deepEqual(at(split, 'payoutNumerators'), [3, 1])
  // It is in memory until its payout is posted, and refuses for its status until then.
  assert.match(String(codeOf(await admin('lock', 'snow'))), /^MARKET_(STATUS|RESOLVED)$/)
})

test('a group is made, edited and resolved by lines', async () => {
  const made = await done('group', 'cup', 'Who wins?', 'reds=Do the Reds win?', 'blues=Blues?')
  assert.equal(at(made, 'markets', 1, 'slug'), 'blues')
  const edited = await done('edit-market', 'reds', '--short-title', 'Reds')
  assert.equal(at(edited, 'proxyTitle'), 'Reds')
  assert.equal(codeOf(await admin('resolve', 'reds', 'yes')), 'MARKET_OF_GROUP')
  const ended = await done('resolve-group', 'cup', 'reds')
  assert.equal(at(ended, 'markets', 0, 'winningOutcomeIndex'), 0)
})

test('a series is made, listed, fed with prices and ended by lines', async () => {
  const series = ['series', 'btc-5min', 'Bitcoin up?', '--symbol', 'BTC', '--every', 'minutes_5']
  const made = await done(...series, '--strike', '95000.5', '--ahead', '2')
  const seriesId = String(at(made, 'seriesId'))
  assert.equal(at(await done('all-series'), 'series', 0, 'stableSlug'), 'btc-5min')
  await done('price', 'BTC', '95001')
  assert.equal(codeOf(await admin('price', 'DOGE', '1')), 'SYMBOL_UNKNOWN')
  const fed = at(await done('all-series'), 'series', 0)
  assert.equal(at(fed, 'lastPrice'), '95001')
  assert.match(String(at(fed, 'lastPriceAt')), /^[0-9]{4}-.*Z$/)
  await done('edit-series', seriesId, '--title', 'Bitcoin: up?', '--daily-reward', '5000000')
  assert.equal(at(await done('all-series'), 'series', 0, 'title'), 'Bitcoin: up?')
  await done('end-series', seriesId)
  assert.equal(codeOf(await admin('edit-series', seriesId, '--title', 'T')), 'SERIES_NOT_FOUND')
  const [row] = [at(await done('all-series'), 'series', 0)]
  assert.ok(row === undefined || at(row, 'isEnded') === true)
})

test('one wrong price refuses all reports of its call', async () => {
  await done('series', 'eth-day', 'Ether up?', '--symbol', 'ETH', '--every', 'daily')
  const reports = [
    { symbol: 'ETH', price: '3000' },
    { symbol: 'ETH', price: '0' },
  ]
  const refused = await admin('POST', '/admin/oracle/prices', JSON.stringify({ reports }))
  assert.equal(codeOf(refused), 'VALIDATION')
  const { oracle } = live.exchange.pipeline.clearing
  assert.ok(oracle.capture().newest.every(([symbol]) => symbol !== 'ETH'))
})

test('the audit says who did what', async () => {
  const kinds = new Set<unknown>()
  const acts = at(await done('audit', '--limit', '100'), 'entries')
  assert.ok(Array.isArray(acts))
  for (const act of acts) {
    assert.equal(at(act, 'operator'), 'root')
    kinds.add(at(act, 'kind'))
  }
  const wanted = ['createMarket', 'createGroup', 'editMarket', 'lockMarket', 'unlockMarket']
  const more = ['flagMarket', 'resolveMarkets', 'createSeries', 'editSeries', 'endSeries']
  for (const kind of [...wanted, ...more]) assert.ok(kinds.has(kind), `${kind} is in the audit`)
})
