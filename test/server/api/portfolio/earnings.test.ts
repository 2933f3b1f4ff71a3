import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { PARTNER_RIGHTS, serverWallet } from '../../../support/live-partners.ts'
import { assertRefused } from '../../../support/replies.ts'

// What a profile traded, and what it earned by that (rules §9.2, §9.3).

const SHARE = 1_000_000
const HOUR_MS = 3_600_000
const { live, rain, hail, ann, ben } = await exchange({
  flags: ['--block-ms', '1'],
  markets: { rain: { fee: true }, hail: {} },
  fundsRaw: 10_000 * SHARE,
  traders: { ann: { apiToken: { scopes: PARTNER_RIGHTS } }, ben: {} },
})

await trade()

/** The example of rules §9.1: ann buys 100 at 0.45 as taker, then sells 40 at 0.60 as maker. */
async function trade(): Promise<void> {
  await live.placed(ben, rain, { outcome: 1, ticks: 550, sizeRaw: 100 * SHARE })
  await live.placed(ann, rain, { ticks: 450, sizeRaw: 100 * SHARE })
  live.shiftClock(2 * HOUR_MS)
  await live.placed(ann, rain, { side: 'sell', ticks: 600, sizeRaw: 40 * SHARE })
  await live.placed(ben, rain, { ticks: 600, sizeRaw: 40 * SHARE })
  await live.placed(ben, hail, { outcome: 1, ticks: 500, sizeRaw: 5 * SHARE })
  await live.placed(ann, hail, { ticks: 500, sizeRaw: 5 * SHARE })
}

const get = (trader: Trader, path: string) => live.call(trader, 'GET', path)

async function fills(trader: Trader, query = 'limit=500'): Promise<unknown[]> {
  const { status, body, text } = await get(trader, `/portfolio/fills?${query}`)
  assert.equal(status, 200, text)
  const data = at(body, 'data')
  assert(Array.isArray(data))
  return data
}

test('a fill has the own order, its role, its price and its fee', async () => {
  const all = await fills(ann)
  const names = ['marketSlug', 'side', 'outcome', 'role', 'price', 'size', 'collateral', 'fee']
  const reported = all.map((each) => names.map((name) => at(each, name)).join(' '))
  assert.deepEqual(reported, [
    'hail BUY YES TAKER 0.5 5000000 2500000 0',
    'rain SELL YES MAKER 0.6 40000000 24000000 0',
    'rain BUY YES TAKER 0.45 100000000 45000000 3000000',
  ])
  assert.deepEqual(
    ['feeAsset', 'feeRateBps'].map((name) => at(all[2], name)),
    ['SHARES', 300],
  )
  assert.match(String(at(all[1], 'makerMatchId')), /^\d+-0$/)
  assert.equal(at(all[2], 'makerMatchId'), undefined)
})

test('fills are filtered by market, by role and by time', async () => {
  const slugs = async (query: string) =>
    (await fills(ann, query)).map((each) => `${at(each, 'marketSlug')} ${at(each, 'role')}`)
  assert.deepEqual(await slugs('market=rain'), ['rain MAKER', 'rain TAKER'])
  assert.deepEqual(await slugs('role=TAKER'), ['hail TAKER', 'rain TAKER'])
  assert.deepEqual(await slugs('role=MAKER&market=hail'), [])
  const early = live.nowMs() - HOUR_MS
  assert.deepEqual(await slugs(`to=${early}`), ['rain TAKER'])
  assert.deepEqual(await slugs(`from=${early}`), ['hail TAKER', 'rain MAKER'])
  assert.deepEqual(await slugs(`from=${live.nowMs() + HOUR_MS}`), [])
  for (const query of ['role=maker', 'from=-1', 'from=2&to=2', 'limit=0', 'limit=501', 'x=1']) {
    const reply = await get(ann, `/portfolio/fills?${query}`)
    assertRefused(reply, 400, 'VALIDATION', query)
  }
  assert.equal((await get(ann, '/portfolio/fills?market=none')).status, 404)
})

test('pages follow each other, and a cursor is of its filters', async () => {
  let cursor = ''
  const seen: unknown[] = []
  do {
    const { body } = await get(ann, `/portfolio/fills?limit=1&cursor=${cursor}`)
    const data = at(body, 'data')
    assert(Array.isArray(data))
    seen.push(...data)
    cursor = String(at(body, 'nextCursor') ?? '')
    for (const other of ['market=rain', 'role=TAKER', 'from=1']) {
      if (cursor === '') break
      const reply = await get(ann, `/portfolio/fills?limit=1&cursor=${cursor}&${other}`)
      assertRefused(reply, 400, 'VALIDATION', other)
    }
  } while (cursor !== '')
  assert.deepEqual(seen, await fills(ann))
})

test('the chart of an owner ends at what it realised, beside what it holds', async () => {
  const { status, body, headers } = await get(ann, '/portfolio/pnl-chart?timeframe=1d')
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'private, no-store')
  assert.equal(at(body, 'timeframe'), '1d')
  const data = at(body, 'data')
  assert(Array.isArray(data))
  assert.equal(data.length, 25)
  // The sale of 40 realises 5,443,299; 57 at the last trade of 0.6 are worth 34.2, and cost 26.44.
  assert.equal(at(data.at(-1), 'value'), 5.44)
  assert.equal(at(data[0], 'value'), 0)
  assert.deepEqual(at(body, 'current'), { realised: 5.44, unrealised: 7.76, total: 13.2 })
  assert.deepEqual(
    ['currentValue', 'previousValue', 'percentChange'].map((name) => at(body, name)),
    [5.44, 0, 0],
  )
})

test('others see the chart without what is held, and so does an ended session', async () => {
  const path = `/portfolio/${ann.account}/pnl-chart?timeframe=all`
  const own = await get(ann, path)
  assert.notEqual(at(own.body, 'current'), null)
  assert.equal(own.headers.get('cache-control'), 'private, no-store')
  for (const reply of [
    await live.send('GET', path),
    await get(ben, path),
    await live.send('GET', path, { headers: { cookie: 'outcomex_session=ended' } }),
  ]) {
    assert.equal(reply.status, 200, reply.text)
    assert.equal(at(reply.body, 'current'), null)
    assert.equal(at(reply.body, 'currentValue'), 5.44)
  }
  const forged = await live.call({ ...ann, secret: ben.secret }, 'GET', path)
  assert.equal(forged.status, 401, 'a wrong proof is refused')
})

test('realised profit counts the markets of its window', async () => {
  const path = `/portfolio/${ann.account}/realized-pnl`
  for (const timeframe of ['1d', '1w', '1m', 'all']) {
    const { body } = await live.send('GET', `${path}?timeframe=${timeframe}`)
    assert.deepEqual(body, {
      timeframe,
      realizedPnl: 5.44,
      realizedPnlRaw: '5443299',
      marketsCount: 1,
    })
  }
  const nobody = `/portfolio/0x${'1'.repeat(40)}/realized-pnl`
  assert.equal(at((await live.send('GET', nobody)).body, 'realizedPnl'), 0)
  for (const [wrong, status] of [
    [`${path}?timeframe=2d`, 400],
    ['/portfolio/0x12/realized-pnl', 400],
    [`/portfolio/${ann.account.replace(/[a-f]/, (each) => each.toUpperCase())}/pnl-chart`, 400],
  ] as const) {
    assert.equal((await live.send('GET', wrong)).status, status, wrong)
  }
})

test('a partner reads the fills and the chart of its account', async () => {
  const desk = await serverWallet(live, ann, SHARE)
  const own = await get(ann, `/portfolio/fills?onBehalfOf=${desk.profileId}`)
  assert.deepEqual(own.body, { data: [], nextCursor: null })
  const chart = await get(ann, `/portfolio/pnl-chart?onBehalfOf=${desk.profileId}`)
  assert.deepEqual(at(chart.body, 'current'), { realised: 0, unrealised: 0, total: 0 })
})
