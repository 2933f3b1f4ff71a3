import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../support/exchange.ts'
import { at, textAt } from '../../support/json-path.ts'
import { putMatch } from '../../support/live-matches.ts'
import { accepted, listAt, type Reply } from '../../support/replies.ts'

// What the contract says of packs, row by row. A row of server/docs/api.md names each test.

const UNIT = 1_000_000
const STAKE = '10000000'
/** What the asks of a market's YES cost in ticks. */
const YES_TICKS = {
  reds: 500,
  map: 400,
  a: 600,
  b: 600,
  c: 600,
  d: 600,
  e: 600,
  'at-90': 90,
  'at-100': 100,
  'at-150': 150,
  'at-299': 299,
  'at-300': 300,
  'at-900': 900,
  'at-910': 910,
}
const POSITIONS = ['ACTIVE', 'WON', 'LOST'] as const
const { live, ann } = await exchange({
  flags: ['--block-ms', '1', '--pack-rest', '0'],
  traders: { ann: { collateralRaw: 10_000 * UNIT, username: 'ann' } },
})

const legs = (...slugs: string[]) => slugs.map((marketSlug) => ({ marketSlug, outcomeIndex: 0 }))
const quote = (slugs: string[], stake = STAKE) =>
  live.patientCall(ann, 'POST', '/parlay/quote', { legs: legs(...slugs), stake })
const get = (path: string) => live.read(path)

function codesOf(reply: Reply): unknown[] {
  return listAt(reply, 'ineligibleReasons').map((each) => at(each, 'code'))
}

async function create(slugs: string[]): Promise<Reply> {
  const quoteId = at((await quote(slugs)).body, 'quoteId')
  const body = { quoteId, legs: legs(...slugs), stake: STAKE }
  return live.patientCall(ann, 'POST', '/parlay/create', body)
}

const maker = await live.trader(100_000 * UNIT)
await accepted(live.admin('/admin/house', { collateralRaw: 10_000 * UNIT }))
for (const [slug, yesTicks] of Object.entries(YES_TICKS)) {
  const market = await live.openMarket(slug)
  const sizeRaw = 1000 * UNIT
  const wanted = { outcome: 1, ticks: 1000 - yesTicks, sizeRaw } as const
  await live.placed(maker, market, wanted)
  const bid = { ticks: yesTicks - 10, sizeRaw }
  await live.placed(maker, market, bid)
}
const cup = { sportType: 'esports', esportType: 'cs2' }
await putMatch(live, 'final', 1, [], {
  ...cup,
  markets: [{ slug: 'reds' }, { slug: 'map', esportsPropType: 'map_winner' }],
})
const made = await accepted(create(['reds', 'a']), 201)
const packId = textAt(made.body, 'id')

test('GET /markets/:slug/packs: those with a leg of a market, group or match', async () => {
  for (const slug of ['reds', 'a', 'final']) {
    const reply = await get(`/markets/${slug}/packs`)
    assert.equal(at(reply.body, 'data', 0, 'id'), packId, `${slug}: ${reply.text}`)
  }
  assert.deepEqual(listAt(await get('/markets/b/packs'), 'data'), [])
  assert.equal((await get('/markets/nothing/packs')).status, 404)
})

test('POST /parlay/quote: prices of legs, vig in percent, and every check that fails', async () => {
  const { body, text } = await quote(['map', 'a'])
  assert.deepEqual([at(body, 'vigPercent'), at(body, 'eligible')], [10, true], text)
  const shown = ['price', 'bookPrice', 'esportsPropType'].map((name) => at(body, 'legs', 0, name))
  assert.deepEqual(shown, [0.4, 0.4, 'map_winner'])
  const failed = codesOf(await quote(['at-90', 'at-910', 'nothing'], '1'))
  for (const code of ['STAKE_TOO_LOW', 'LEG_PRICE_TOO_LOW', 'LEG_PRICE_TOO_HIGH']) {
    assert.ok(failed.includes(code), `${code} in ${failed}`)
  }
  assert.ok(failed.includes('MARKET_NOT_FOUND'), `${failed}`)
})

test('POST /parlay/create: a leg outside the prices of packs makes no pack', async () => {
  for (const slug of ['at-90', 'at-910']) {
    assert.equal(at((await quote(['a', slug])).body, 'quoteId'), null, 'it gets no quote')
  }
  const market = await live.openMarket('moving')
  const maker = await live.trader(10_000 * UNIT)
  const sizeRaw = 1000 * UNIT
  const requested = { outcome: 1, ticks: 400, sizeRaw } as const
  await live.placed(maker, market, requested)
  await live.placed(maker, market, { ticks: 590, sizeRaw })
  const quoted = await quote(['a', 'moving'])
  const quoteId = textAt(quoted.body, 'quoteId')
  // Since the quote the asks were bought, and only one above the prices of packs is left.
  await live.placed(ann, market, { ticks: 600, sizeRaw })
  await live.placed(maker, market, { ...requested, ticks: 50 })
  const body = { quoteId, legs: legs('a', 'moving'), stake: STAKE }
  const refused = await live.patientCall(ann, 'POST', '/parlay/create', body)
  assert.equal(refused.status, 422, refused.text)
  assert.deepEqual(codesOf(refused), ['NO_LIQUIDITY', 'LEG_PRICE_TOO_HIGH'])
})

test('GET /parlay/markets: markets for packs, each outcome with isMatch', async () => {
  const rows = listAt(await get('/parlay/markets?limit=50'), 'data')
  const isMatch = new Map(
    rows.map((row) => [
      at(row, 'marketSlug'),
      [0, 1].map((side) => at(row, 'outcomes', side, 'isMatch')),
    ]),
  )
  assert.deepEqual(isMatch.get('reds'), [true, true])
  assert.deepEqual(isMatch.get('map'), [false, false])
  assert.deepEqual(isMatch.get('a'), [false, false])
})

const PACK_READS = [
  ['GET /parlay/packs: legs with bookPrice and esportsPropType', () => '/parlay/packs', true],
  ['GET /parlay/packs/search: the same, of a text', () => '/parlay/packs/search?query=map', true],
  ['GET /parlay/packs/:id: the same, of one pack', (id: string) => `/parlay/packs/${id}`, false],
] as const

for (const [round, [name, pathOf, isList]] of PACK_READS.entries()) {
  test(name, async () => {
    const body = { name: `Maps ${round}`, legs: legs('map', 'b') }
    const made = await accepted(live.admin('/admin/packs', body), 201)
    const reply = await accepted(get(pathOf(textAt(made.body, 'id'))))
    const pack = isList ? listAt(reply)[0] : reply.body
    const leg = ['marketSlug', 'bookPrice', 'esportsPropType']
    assert.deepEqual(
      leg.map((word) => at(pack, 'legs', 0, word)),
      ['map', 0.4, 'map_winner'],
    )
    assert.deepEqual(
      leg.map((word) => at(pack, 'legs', 1, word)),
      ['b', 0.6, null],
    )
    assert.equal(at(pack, 'name'), `Maps ${round}`)
  })
}

test('GET /parlay/:account/positions: open to all, by status, limit and offset', async () => {
  const path = `/parlay/${ann.account}/positions`
  const first = await get(path)
  const total = listAt(first, 'data').length
  assert.deepEqual(
    ['limit', 'offset', 'totalRows', 'totalPages'].map((name) => at(first.body, name)),
    [20, 0, total, 1],
  )
  for (const status of POSITIONS) {
    const rows = listAt(await get(`${path}?status=${status}`), 'data')
    assert.equal(rows.length, status === 'ACTIVE' ? total : 0, status)
  }
  assert.equal((await get(`${path}?status=OPEN`)).status, 400)
})

test('limit: public pack positions 1 to 50, 20 when absent; offset capped at 10,000', async () => {
  const path = `/parlay/${ann.account}/positions`
  assert.equal(at((await get(path)).body, 'limit'), 20)
  for (const limit of [1, 50]) {
    assert.equal(at((await get(`${path}?limit=${limit}`)).body, 'limit'), limit)
  }
  for (const limit of [0, 51]) assert.equal((await get(`${path}?limit=${limit}`)).status, 400)
  for (const offset of [10_000, 10_001, 99_999]) {
    assert.equal(at((await get(`${path}?offset=${offset}`)).body, 'offset'), 10_000)
  }
})

test('limit: the stake of a pack is at most 70, and 100 of one that a maker funds', async () => {
  assert.deepEqual(codesOf(await quote(['a', 'b'], '70000000')), [])
  assert.deepEqual(codesOf(await quote(['a', 'b'], '70000001')), ['STAKE_TOO_HIGH'])
  const offer = (stakeMax: string) => {
    const body = { legs: legs('a', 'b'), stakeMax, payout: String(Number(stakeMax) * 2) }
    return live.patientCall(ann, 'POST', '/parlay/offers', body)
  }
  assert.equal((await offer('100000000')).status, 201)
  assert.ok((await offer('100000001')).status >= 400)
})

test('limit: a pack has 2 to 5 legs', async () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'reds']
  assert.deepEqual(codesOf(await quote(all.slice(0, 1))), ['TOO_FEW_LEGS'])
  assert.deepEqual(codesOf(await quote(all.slice(0, 2))), [])
  assert.deepEqual(codesOf(await quote(all.slice(0, 5))), [])
  assert.equal(codesOf(await quote(all))[0], 'TOO_MANY_LEGS')
})

test('limit: a pack pays at most 20 times its stake, with a vig of 10 percent', async () => {
  const { body, text } = await quote(['at-300', 'at-150'])
  const paid = ['fairMultiplier', 'multiplier', 'vigPercent', 'payout']
  assert.deepEqual(
    paid.map((name) => at(body, name)),
    [22.2222, 20, 10, '200000000'],
    text,
  )
  assert.deepEqual(codesOf(await quote(['at-299', 'at-150'])), ['MULTIPLIER_TOO_HIGH'])
})

test('limit: the price of a leg is 0.10 to 0.90', async () => {
  assert.deepEqual(codesOf(await quote(['at-100', 'a'])), [])
  assert.deepEqual(codesOf(await quote(['at-900', 'a'])), [])
  assert.deepEqual(codesOf(await quote(['at-90', 'a'])), ['NO_LIQUIDITY', 'LEG_PRICE_TOO_LOW'])
  assert.deepEqual(codesOf(await quote(['at-910', 'a'])), ['NO_LIQUIDITY', 'LEG_PRICE_TOO_HIGH'])
})

test('limit: what is for sale within 0.10 of the best price counts for a quote', async () => {
  const deep = await live.openMarket('deep')
  const seller = await live.trader(10_000 * UNIT)
  for (const [yesTicks, shares] of [
    [500, 1],
    [600, 30],
    [601, 500],
  ]) {
    const wanted = { outcome: 1, ticks: 1000 - yesTicks, sizeRaw: shares * UNIT } as const
    await live.placed(seller, deep, wanted)
  }
  const bid = { ticks: 490, sizeRaw: 1000 * UNIT }
  await live.placed(seller, deep, bid)
  const { body } = await quote(['deep', 'a'])
  assert.deepEqual(
    [at(body, 'legs', 0, 'bookPrice'), at(body, 'legs', 0, 'depth')],
    [0.5, '31000000'],
  )
  assert.deepEqual(codesOf(await quote(['deep', 'a'], '20000000')), ['INSUFFICIENT_DEPTH'])
})
