import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@limitless-exchange/sdk'
import { moveHashOf } from '../../../../engine/core/money/tx-hash.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { CHAIN_ID } from '../../../support/live-orders.ts'
import { PARTNER_RIGHTS, serverWallet } from '../../../support/live-partners.ts'
import { accepted, orderIdOf } from '../../../support/replies.ts'

// What a profile did, newest first (rules §9.2).

const SHARE = 1_000_000
const BLOCK_MS = 60_000
const { live, rain, hail, alice, bob } = await exchange({
  flags: ['--block-ms', String(BLOCK_MS)],
  markets: { rain: { fee: true }, hail: {} },
  fundsRaw: 10_000 * SHARE,
  traders: { alice: {}, bob: { apiToken: { scopes: PARTNER_RIGHTS } } },
})

const get = (trader: Trader, query: string, change = {}) =>
  live.call(trader, 'GET', `/portfolio/history?${query}`, undefined, change)

async function rowsOf(trader: Trader, query = 'limit=100'): Promise<unknown[]> {
  const { status, body, text } = await get(trader, query)
  assert.equal(status, 200, text)
  const data = at(body, 'data')
  assert(Array.isArray(data))
  return data
}

const move = (act: string, slug: string, more: object = {}) => {
  const market = live.exchange.pipeline.clearing.catalogue.bySlug(slug)
  assert(market !== undefined)
  const { conditionId } = market
  return live.call(bob, 'POST', `/portfolio/${act}`, { conditionId, ...more })
}

test('a trade is one row of its taker and one of each maker once it is answered', async () => {
  await live.place(alice, rain, { outcome: 1, ticks: 550, sizeRaw: 100 * SHARE })
  const bought = await live.place(bob, rain, { ticks: 450, sizeRaw: 100 * SHARE })
  const [taken] = await rowsOf(bob)
  const tradeEventId = textAt(bought.body, 'execution', 'tradeEventId')
  const own = { tradeEventId, orderId: orderIdOf(bought) }
  const shown = (row: unknown) => {
    const { market, blockTimestamp, ...rest } = Object(row)
    assert.equal(at(market, 'slug'), 'rain')
    assert.equal(
      at(market, 'id'),
      String(live.exchange.pipeline.published.bySlug('rain')?.market.marketId),
    )
    assert(Math.abs(Number(blockTimestamp) * 1000 - live.nowMs()) < 60_000)
    return rest
  }
  // The fee of 3% is taken from the shares.
  assert.deepEqual(shown(taken), {
    transactionHash: null,
    collateralAmount: '45',
    outcomeIndex: 0,
    outcomeTokenAmount: '97',
    outcomeTokenAmounts: ['97', '0'],
    outcomeTokenPrice: 0.45,
    strategy: 'Market Buy',
    operation: 'buy',
    ...own,
  })
  const [made] = await rowsOf(alice)
  assert.deepEqual(
    ['strategy', 'collateralAmount', 'outcomeTokenAmounts', 'makerMatchId'].map((name) => {
      return at(made, name)
    }),
    ['Limit Buy', '55', ['0', '100'], `${tradeEventId}-0`],
  )
})

test('splits, merges and claims stand among the trades, and blocks name their hashes', async () => {
  const split = await move('split', 'hail', { amount: '5000001' })
  await move('merge', 'hail', { amount: '1000001' })
  const rows = await rowsOf(bob)
  const strategies = rows.map((row) => at(row, 'strategy'))
  assert.deepEqual(strategies, ['Merge', 'Split', 'Market Buy'])
  assert.deepEqual(at(rows[1], 'outcomeTokenAmounts'), ['5.000001', '5.000001'])
  assert.equal(at(rows[1], 'collateralAmount'), '5.000001')
  assert.equal(at(rows[1], 'transactionHash'), null)
  live.shiftClock(BLOCK_MS)
  const { mining } = live.exchange.pipeline
  while (mining?.shown.height !== 1) await new Promise(setImmediate)
  const seq = Number(textAt(split.body, 'transactionId'))
  const mined = await rowsOf(bob)
  assert.equal(at(mined[1], 'transactionHash'), moveHashOf(CHAIN_ID, seq))
  assert.match(textAt(mined[2], 'transactionHash'), /^0x[0-9a-f]{64}$/)
})

test('a trade that was taken back is left out', async () => {
  await live.admin('/admin/settlement/faults', { next: 1, outcome: 'FAILED' })
  await live.place(alice, hail, { outcome: 1, ticks: 500, sizeRaw: SHARE })
  await live.place(bob, hail, { ticks: 500, sizeRaw: SHARE })
  assert.equal(at((await rowsOf(bob))[0], 'strategy'), 'Market Buy')
  const { pipeline } = live.exchange
  live.shiftClock(BLOCK_MS)
  while (pipeline.mining?.failures !== 1) await new Promise(setImmediate)
  assert.equal(at((await rowsOf(bob))[0], 'strategy'), 'Merge')
})

test('pages of any size give every row once, of all markets and of one', async () => {
  for (let slice = 0; slice < 6; slice++) {
    const market = slice % 2 === 0 ? rain : hail
    await live.place(alice, market, { outcome: 1, ticks: 500, sizeRaw: (slice + 1) * SHARE })
    await live.place(bob, market, { ticks: 500, sizeRaw: (slice + 1) * SHARE })
    await move('split', 'hail', { amount: String(slice + 1) })
  }
  for (const filter of ['', '&market=hail', '&market=rain']) {
    const whole = await rowsOf(bob, `limit=100${filter}`)
    assert(whole.length >= 4)
    for (const limit of [1, 2, 3, 5, 50]) {
      const paged: unknown[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { body, text } = await get(bob, `limit=${limit}&cursor=${cursor}${filter}`)
        const data = at(body, 'data')
        assert(Array.isArray(data) && data.length <= limit, text)
        paged.push(...data)
        cursor = at(body, 'nextCursor') === null ? null : textAt(body, 'nextCursor')
      }
      assert.deepEqual(paged, whole, `limit=${limit}${filter}`)
    }
  }
})

test('a cursor is of its market, and of this list', async () => {
  const first = await get(bob, 'limit=1&market=hail')
  const cursor = textAt(first.body, 'nextCursor')
  for (const [query, status] of [
    [`limit=1&market=hail&cursor=${cursor}`, 200],
    [`limit=1&market=rain&cursor=${cursor}`, 400],
    [`limit=1&cursor=${cursor}`, 400],
    ['limit=1&cursor=bm9uZQ', 400],
    ['limit=1&market=nothing', 404],
    ['limit=0', 400],
    ['limit=101', 400],
    ['cursor=', 200],
  ] as const) {
    assert.equal((await get(bob, query)).status, status, query)
  }
})

test('a profile reads its own history, a partner that of its sub-account', async () => {
  const child = await serverWallet(live, bob, SHARE)
  const own = { headers: { 'x-on-behalf-of': String(child.profileId) } }
  assert.deepEqual(at((await get(bob, 'limit=5', own)).body, 'data'), [])
  const foreign = { headers: { 'x-on-behalf-of': String(alice.profileId) } }
  assert.equal((await get(bob, 'limit=5', foreign)).status, 403)
  assert.equal((await live.send('GET', '/portfolio/history?limit=5')).status, 401)
})

test('a conversion is one row of its group, with the shares of each child', async () => {
  const markets = ['reds', 'blues', 'greens'].map((slug) => ({ slug, title: `Will ${slug} win?` }))
  await live.admin('/admin/groups', { slug: 'cup', title: 'Who wins the cup?', markets })
  await move('split', 'reds', { amount: '4000000' })
  const { catalogue } = live.exchange.pipeline.clearing
  const conditionIds = [catalogue.bySlug('reds')?.conditionId]
  const body = { conditionIds, amount: '3000000' }
  assert.equal((await live.call(bob, 'POST', '/portfolio/convert', body)).status, 201)
  const [row] = await rowsOf(bob, 'limit=1')
  assert.equal(at(row, 'strategy'), 'Convert')
  assert.equal(at(row, 'market', 'slug'), 'cup')
  assert.deepEqual(at(row, 'outcomeTokenAmounts'), ['3', '3', '3'])
})

test('the history call of the public client works unmodified, page by page', async () => {
  // That client signs by its own clock, so the server's goes back to it.
  live.shiftClock(-2 * BLOCK_MS)
  const { tokenId, secret } = bob
  const baseURL = `http://127.0.0.1:${live.port}`
  const { portfolio } = new Client({ baseURL, hmacCredentials: { tokenId, secret } })
  const first = await portfolio.getUserHistory(undefined, 3)
  assert.equal(first.data.length, 3)
  assert(first.nextCursor !== null)
  const second = await portfolio.getUserHistory(first.nextCursor, 3)
  assert.deepEqual([...first.data, ...second.data], await rowsOf(bob, 'limit=6'))
})

test('without a limit a page has twenty acts', async () => {
  for (let count = 0; count < 21; count++) {
    await accepted(move('split', 'hail', { amount: '1000000' }), 201)
  }
  const { status, body, text } = await get(bob, 'cursor=')
  assert.equal(status, 200, text)
  const data = at(body, 'data')
  assert.ok(Array.isArray(data))
  assert.equal(data.length, 20)
  const next = await get(bob, `cursor=${textAt(body, 'nextCursor')}`)
  assert.deepEqual(at(next.body, 'data', 0, 'strategy'), 'Split')
})
