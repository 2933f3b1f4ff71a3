import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reject } from '../../engine/domain/reject-precedence.ts'
import { MarketChanges, marketIds } from '../../server/api/markets/market-changes.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { accepted, assertRefused } from '../support/replies.ts'

// The operator's calls at and beyond their limits, and the public reads of what they made.

const SAFE_MAX = Number.MAX_SAFE_INTEGER
const { live } = await exchange()

const market = (fields: object) =>
  live.admin('/admin/markets', { kind: 'clob', slug: 'm', title: 'M?', ...fields })
const profile = (fields: object) => live.admin('/admin/profiles', fields)
const credit = (profileId: number, collateralRaw: unknown) =>
  live.admin('/admin/balances', { profileId, collateralRaw })
const account = (digit: string) => `0x${digit.repeat(40)}`

test('a market with a wrong field is refused and not made', async () => {
  const bad: object[] = [
    { kind: 'group' },
    { slug: '' },
    { slug: 'A' },
    { slug: '-a' },
    { slug: 'a b' },
    { slug: 'a/b' },
    { slug: 'x'.repeat(129) },
    { title: '' },
    { title: 'x'.repeat(257) },
    { description: 'x'.repeat(10_001) },
    { description: '😀'.repeat(10_001) },
    { deadline: 'tomorrow' },
    { deadline: '+010000-01-01T00:00:00Z' },
    { deadline: '' },
    { deadline: live.nowMs() - 1 },
    { deadline: '2020-01-01T00:00:00Z' },
    { deadline: 0 },
    { deadline: -1 },
    { deadline: SAFE_MAX },
    { deadline: 253_402_300_800_000 },
    { deadline: 2 ** 53 },
    { deadline: live.nowMs() + 5000.5 },
    { fee: 'yes' },
    { takerDelayMs: -1 },
    { takerDelayMs: 0.5 },
    { takerDelayMs: 60_001 },
    { takerDelayMs: '500' },
    { categories: 'x' },
    { categories: [''] },
    { categories: Array.from({ length: 33 }, () => 'x') },
    { tags: [5] },
    { minSizeRaw: -1 },
    { minSizeRaw: 1.5 },
    { minSizeRaw: 2 ** 53 },
    { exchangeAddress: account('z') },
    { exchangeAddress: `0xA${'a'.repeat(39)}` },
    { adapterAddress: `0xA${'a'.repeat(39)}` },
    { status: 'RESOLVED' },
  ]
  for (const fields of bad) {
    const reply = await market(fields)
    assert.equal(reply.status, 400, `${JSON.stringify(fields).slice(0, 60)} ${reply.text}`)
    assertRefused(reply, 400, 'VALIDATION')
  }
  const many = Array.from({ length: 33 }, () => 'x')
  assertRefused(await market({ tags: many }), 400, 'VALIDATION')
  assertRefused(await live.send('GET', '/markets/m'), 404, 'MARKET_NOT_FOUND')
})

test('a market at every limit is made, read and listed', async () => {
  const made = await market({
    slug: 'x'.repeat(128),
    title: '😀'.repeat(256),
    description: '\n\t</script>'.repeat(900),
    deadline: 253_402_300_799_999,
    categories: ['💥'],
    minSizeRaw: SAFE_MAX,
    exchangeAddress: account('a'),
    adapterAddress: null,
  })
  assert.equal(made.status, 201, made.text)
  for (const path of ['/markets/active', '/markets/active/slugs', `/markets/${'x'.repeat(128)}`]) {
    await accepted(live.send('GET', path))
  }
  assertRefused(await market({ slug: 'x'.repeat(128) }), 409, 'SLUG_TAKEN')
  const long = await market({ slug: 'long', description: 'x'.repeat(10_000) })
  assert.equal(long.status, 201)
})

test('of markets with one slug at the same moment one is made', async () => {
  const both = await Promise.all([1, 2, 3].map(() => market({ slug: 'once' })))
  assert.deepEqual(both.map((reply) => reply.status).sort(), [201, 409, 409])
})

test('a market that locks before its creation is durable does not stop the exchange', async () => {
  // Each market has a thread of its own here. The threads must start in the order of the markets.
  const { live: own } = await exchange({ flags: ['--market-threads', 'auto'] })
  const { pipeline, shards } = own.exchange
  const markets = new MarketChanges(pipeline, shards, async () => false)
  const spec = (slug: string, deadlineMs: number | null) => ({
    ...marketIds(slug, account('a'), account('b')),
    slug,
    title: slug,
    description: '',
    deadlineMs,
    feeEnabled: false,
    categories: [],
    tags: [],
    exchangeAddress: account('a'),
    adapterAddress: null,
    minSizeRaw: 1000,
    maxSpread: 0.035,
  })
  const plain = markets.create(spec('plain', null))
  const brief = markets.create(spec('brief', pipeline.sequencer.nowMs() + 1))
  own.shiftClock(10)
  pipeline.tick()
  for (const made of [await plain, await brief]) assert.ok(!(made instanceof Reject))
  await pipeline.whenIdle()
  assert.equal(at((await own.send('GET', '/markets/plain')).body, 'status'), 'FUNDED')
  assert.equal(at((await own.send('GET', '/markets/brief')).body, 'status'), 'LOCKED')
  assertRefused(await own.send('GET', '/markets/brief/orderbook'), 400, 'ORDERBOOK_INACTIVE')
})

test('a market is resolved once, and only to a valid payout', async () => {
  const rain = await live.openMarket('rain')
  const alice = await live.trader(20_000_000)
  await live.placed(alice, rain)
  const resolve = (body: unknown, slug = 'rain') =>
    live.admin(`/admin/markets/${slug}/resolve`, body)
  const bad: unknown[] = [
    {},
    { winningOutcomeIndex: 0, payoutNumerators: [1, 0] },
    { winningOutcomeIndex: 2 },
    { winningOutcomeIndex: -1 },
    { winningOutcomeIndex: '0' },
    { winningOutcomeIndex: null },
    { payoutNumerators: [1] },
    { payoutNumerators: [1, 2, 3] },
    { payoutNumerators: [1.5, 1] },
    { payoutNumerators: [-1, 2] },
    { payoutNumerators: [2 ** 53, 1] },
    [],
  ]
  for (const body of bad) assertRefused(await resolve(body), 400, 'VALIDATION')
  assertRefused(await resolve({ payoutNumerators: [0, 0] }), 400, 'PAYOUT_INVALID')
  assertRefused(await resolve({ winningOutcomeIndex: 0 }, 'fog'), 404, 'MARKET_NOT_FOUND')
  const both = await Promise.all([0, 1].map((index) => resolve({ winningOutcomeIndex: index })))
  assert.deepEqual(both.map((reply) => reply.status).sort(), [200, 409])
  assertRefused(await resolve({ payoutNumerators: [1, 1] }), 409, 'MARKET_RESOLVED')
  // The reply waits for the disk, not for the market's thread: some cancels may still be under way.
  await live.exchange.pipeline.whenIdle()
  assert.deepEqual(live.balances(alice), { freeRaw: 20_000_000, reservedRaw: 0 })
  const reply = await live.place(alice, rain)
  assertRefused(reply, 400, 'MARKET_NOT_TRADABLE')
  assertRefused(await live.send('GET', '/markets/rain/orderbook'), 400, 'ORDERBOOK_INACTIVE')
})

test('a profile with a wrong field is refused and not made', async () => {
  const bad: object[] = [
    { account: account('A').replace('A', 'a') },
    { account: account('1').slice(0, -1) },
    { account: null },
    { username: 'x'.repeat(45) },
    { username: '' },
    { username: 5 },
    { rank: 'Wood' },
    { rank: 0 },
    { rank: 6 },
    { rank: {} },
    { feeCapBps: -1 },
    { feeCapBps: 1001 },
    { feeCapBps: 1.5 },
    { apiToken: true },
    { apiToken: { scopes: [] } },
    { apiToken: { scopes: ['root'] } },
    { apiToken: { secret: 'x' } },
    { profileId: 1 },
  ]
  for (const fields of bad) {
    assertRefused(await profile({ account: account('1'), ...fields }), 400, 'VALIDATION')
  }
  await accepted(profile({ account: account('1'), username: '😀'.repeat(44) }), 201)
  const taken = await profile({ account: account('2'), username: '😀'.repeat(44) })
  assertRefused(taken, 409, 'USERNAME_TAKEN')
  const both = await Promise.all([1, 2].map(() => profile({ account: account('3') })))
  assert.equal(at(both[0].body, 'profileId'), at(both[1].body, 'profileId'))
})

test('a credit or debit keeps a balance whole, not negative and all funds below 2^51', async () => {
  const { profileId } = await live.trader(1_000_000)
  for (const raw of [0, 1.5, '5', null, 2 ** 53, -(2 ** 53), true]) {
    assertRefused(await credit(profileId, raw), 400, 'VALIDATION')
  }
  for (const id of [0, -1, 1.5, '1', 2 ** 31, null]) {
    const reply = await live.admin('/admin/balances', { profileId: id, collateralRaw: 5 })
    assertRefused(reply, 400, 'VALIDATION')
  }
  assertRefused(await credit(999_999, 5), 404, 'PROFILE_NOT_FOUND')
  assertRefused(await credit(profileId, SAFE_MAX), 400, 'BALANCE_LIMIT')
  assertRefused(await credit(profileId, 2 ** 51), 400, 'BALANCE_LIMIT')
  assertRefused(await credit(profileId, -1_000_001), 400, 'INSUFFICIENT_COLLATERAL')
  assertRefused(await credit(profileId, -SAFE_MAX), 400, 'INSUFFICIENT_COLLATERAL')
  const both = await Promise.all([1, 2].map(() => credit(profileId, -600_000)))
  assert.deepEqual(both.map((reply) => reply.status).sort(), [200, 400])
  const last = await credit(profileId, -400_000)
  assert.deepEqual(last.body, { profileId, freeRaw: 0, reservedRaw: 0 })
})

test('pages are numbered from one and hold at most twenty-five', async () => {
  const page = (query: string) => live.send('GET', `/markets/active?${query}`)
  const bad = ['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=', 'limit=0', 'limit=26', 'page=01']
  for (const query of [...bad, 'page=1&page=2', 'sortBy=oldest', 'tradeType=nft', 'page=9999999']) {
    assertRefused(await page(query), 400, 'VALIDATION')
  }
  const beyond = await page('page=1000000&limit=25')
  assert.deepEqual(at(beyond.body, 'data'), [])
  const one = await page('limit=1&sortBy=newest&tradeType=clob')
  assert.equal(at(one.body, 'data', 1), undefined)
  assert.deepEqual(at((await page('tradeType=amm')).body, 'data'), [])
})
