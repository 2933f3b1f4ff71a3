import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { assertRefused } from '../../../support/replies.ts'

const { live } = await exchange()

const requested = async (path: string) => (await live.operator('GET', path)).body

test('profiles and balances are listed by id, in pages', async () => {
  const market = await live.openMarket('listed')
  const traders = [await live.trader(0), await live.trader(7_000_000), await live.trader(1_000_000)]
  const [, rich] = traders
  await live.placed(rich, market, { sizeRaw: 2_000_000 })
  const ids = traders.map(({ profileId }) => profileId)
  assert.deepEqual(ids, [1, 2, 3])
  const first = await requested('/admin/balances?limit=2')
  assert.deepEqual(first, {
    balances: [
      { profileId: 1, freeRaw: 0, reservedRaw: 0 },
      { profileId: 2, freeRaw: 6_000_000, reservedRaw: 1_000_000 },
    ],
    next: 2,
  })
  const second = await requested('/admin/balances?limit=2&after=2')
  const last = { profileId: 3, freeRaw: 1_000_000, reservedRaw: 0 }
  assert.deepEqual(second, { balances: [last], next: null })
  assert.deepEqual(await requested('/admin/balances/3'), last)
  const missing = await live.operator('GET', '/admin/balances/4')
  assertRefused(missing, 404, 'PROFILE_NOT_FOUND')
  const profiles = await requested('/admin/profiles?after=1&limit=1')
  const { account } = rich
  const row = { profileId: 2, account, username: null, rank: 'Bronze', feeCapBps: null }
  assert.deepEqual(profiles, { profiles: [{ ...row, isFrozen: false }], next: 2 })
  assert.deepEqual(await requested('/admin/profiles?after=99'), { profiles: [], next: null })
})

test('a profile is found by its account or its username, in any letter case', async () => {
  const { account, profileId } = await live.trader(0)
  const named = await live.admin('/admin/profiles', { account, username: 'Rain & Snow' })
  assert.equal(named.status, 201)
  const idsOf = async (query: string): Promise<unknown> => {
    const body = await requested(`/admin/profiles?${query}`)
    assert.equal(at(body, 'next'), null)
    const found: { profileId: number }[] = Object(at(body, 'profiles'))
    return found.map((each) => each.profileId)
  }
  for (const query of [
    `account=${account}`,
    `account=${account.toLowerCase()}&limit=1`,
    'username=rain%20%26%20snow',
    `account=${account}&username=RAIN%20%26%20SNOW`,
  ]) {
    assert.deepEqual(await idsOf(query), [profileId], query)
  }
  for (const query of [
    `account=0x${'0'.repeat(40)}`,
    'username=nobody',
    `account=0x${'0'.repeat(40)}&username=rain%20%26%20snow`,
    `account=${account}&username=nobody`,
    `account=${account}&after=${profileId}`,
  ]) {
    assert.deepEqual(await idsOf(query), [], query)
  }
  const long = await live.operator('GET', `/admin/profiles?username=${'v'.repeat(45)}`)
  assert.equal(long.status, 400)
})

test('markets of every status are listed', async () => {
  await live.openMarket('over')
  const resolved = await live.admin('/admin/markets/over/resolve', { winningOutcomeIndex: 0 })
  assert.equal(resolved.status, 200)
  const body = await requested('/admin/markets')
  const markets: { slug: string; status: string }[] = Object(at(body, 'markets'))
  assert.deepEqual(
    markets.map(({ slug, status }) => [slug, status]),
    [
      ['listed', 'FUNDED'],
      ['over', 'RESOLVED'],
    ],
  )
})

test('markets are listed newest first too, and one is found by its slug', async () => {
  const page = async (query: string): Promise<unknown> => {
    const body = await requested(`/admin/markets?${query}`)
    const markets: { slug: string }[] = Object(at(body, 'markets'))
    return [markets.map((each) => each.slug), at(body, 'next')]
  }
  assert.deepEqual(await page('order=falling&limit=1'), [['over'], 2])
  assert.deepEqual(await page('order=falling&limit=1&after=2'), [['listed'], 1])
  assert.deepEqual(await page('order=falling&after=1'), [[], null])
  assert.deepEqual(await page('order=falling&after=99'), [['over', 'listed'], null])
  assert.deepEqual(await page('slug=over'), [['over'], null])
  assert.deepEqual(await page('slug=nowhere'), [[], null])
})

test('only the operator reads the lists, and their pages are bounded', async () => {
  for (const path of [
    '/admin/profiles',
    '/admin/balances',
    '/admin/markets',
    '/admin/balances/1',
  ]) {
    assert.equal((await live.send('GET', path)).status, 401)
  }
  assert.equal((await live.operator('GET', '/admin/profiles?limit=501')).status, 400)
  assert.equal((await live.operator('GET', '/admin/profiles?after=-1')).status, 400)
})

test('the front page has links that work', async () => {
  const page = await fetch(`http://127.0.0.1:${live.port}/`)
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  const text = await page.text()
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)
  assert.ok(links.length >= 5)
  for (const path of links) assert.equal((await live.send('GET', path)).status, 200, path)
})
