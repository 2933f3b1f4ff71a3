import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { SOCIAL_LIMITS } from '../../../../engine/domain/social/social-limits.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { newWallet } from '../../../support/live-session.ts'
import { accepted, assertRefused, type Reply } from '../../../support/replies.ts'

// Markets that a profile remembers, for itself and for others.

const { live, ann, ben } = await exchange({
  flags: ['--block-ms', '20'],
  fundsRaw: 0,
  traders: ['ann', 'ben'],
})

before(async () => {
  for (const slug of ['rain', 'snow', 'hail']) await live.openMarket(slug)
  await live.openGroupAndPool()
})

const call = (who: Trader, method: string, path: string, body?: unknown) =>
  live.patientCall(who, method, `/market-bookmarks${path}`, body)
const put = (who: Trader, kind: string, target: string | number) =>
  call(who, 'PUT', `/${kind}/${target}`)
const shownTo = (account: string) => live.read(`/market-bookmarks/public/${account}`)
const entries = (reply: Reply): unknown[] => {
  assert.equal(reply.status, 200, reply.text)
  const data = at(reply.body, 'data')
  assert.ok(Array.isArray(data))
  return data
}
const mine = async (who: Trader) => entries(await call(who, 'GET', '/me'))
const slugs = (data: readonly unknown[]) => data.map((each) => at(each, 'market', 'slug'))

test('a market of each kind is bookmarked by number or slug, and listed newest first', async () => {
  const kinds = [
    ['clob', 'rain'],
    ['amm', 'pool'],
    ['negrisk', 'cup'],
    ['clob', 'cup-reds'],
  ] as const
  for (const [kind, slug] of kinds) {
    const reply = await accepted(put(ann, kind, slug))
    assert.equal(at(reply.body, 'targetKind'), kind)
    assert.equal(at(reply.body, 'market', 'slug'), slug)
    assert.equal(at(reply.body, 'availability'), 'active')
  }
  const snowId = at((await live.send('GET', '/markets/snow')).body, 'id')
  const byNumber = await put(ann, 'clob', Number(snowId))
  assert.equal(at(byNumber.body, 'market', 'slug'), 'snow')
  assert.equal(at(byNumber.body, 'targetId'), String(snowId))
  const data = await mine(ann)
  assert.deepEqual(slugs(data), ['snow', 'cup-reds', 'cup', 'pool', 'rain'])
  assert.equal(at(data[2], 'market', 'markets', 1, 'slug'), 'cup-blues')
  assert.deepEqual(await mine(ben), [])
})

test('the same target again changes nothing, under the other name of a group too', async () => {
  const before = live.exchange.pipeline.clearing.lastSeq
  const first = at((await mine(ann))[2], 'bookmarkId')
  for (const kind of ['negrisk', 'ladder']) {
    const again = await put(ann, kind, 'cup')
    assert.deepEqual([again.status, at(again.body, 'bookmarkId')], [200, first])
    assert.equal(at(again.body, 'targetKind'), 'negrisk', 'the kind that was given is kept')
  }
  assert.equal((await mine(ann)).length, 5)
  const { social } = live.exchange.pipeline.clearing
  assert.equal(social.bookmarks.of(ann.profileId).length, 5)
  assert.ok(social.bookmarks.of(ann.profileId).every(({ seq }) => seq <= before))
})

test('the address of a pool names it in any spelling', async () => {
  const address = String(at((await live.send('GET', '/markets/pool')).body, 'address'))
  const first = at((await mine(ann))[3], 'bookmarkId')
  for (const name of [address, address.toLowerCase()]) {
    const again = await put(ann, 'amm', name)
    assert.deepEqual([again.status, at(again.body, 'bookmarkId')], [200, first], again.text)
    const wrong = await put(ann, 'clob', name)
    assertRefused(wrong, 400, 'BOOKMARK_KIND')
  }
  const unknown = await put(ann, 'amm', `0x${'1'.repeat(40)}`)
  assertRefused(unknown, 404, 'MARKET_NOT_FOUND')
})

test('a target of another kind and one that is not there are refused', async () => {
  const rows = [
    ['amm', 'rain', 400, 'BOOKMARK_KIND'],
    ['ladder', 'rain', 400, 'BOOKMARK_KIND'],
    ['clob', 'cup', 400, 'BOOKMARK_KIND'],
    ['clob', 'pool', 400, 'BOOKMARK_KIND'],
    ['clob', 'never-there', 404, 'MARKET_NOT_FOUND'],
    ['clob', '99999999', 404, 'MARKET_NOT_FOUND'],
    ['clob', '0', 404, 'MARKET_NOT_FOUND'],
    ['clob', '9'.repeat(100), 404, 'MARKET_NOT_FOUND'],
    ['group', 'cup', 400, 'VALIDATION'],
    ['clob', 'Not%20a%20slug', 404, 'MARKET_NOT_FOUND'],
    ['clob', 'x'.repeat(200), 400, 'VALIDATION'],
  ] as const
  for (const [kind, target, status, code] of rows) {
    const reply = await put(ben, kind, target)
    assertRefused(reply, status, code, `${kind} ${target}`)
  }
  assert.deepEqual(await mine(ben), [])
})

test('one bookmark is removed by its owner alone, and all are cleared', async () => {
  const id = at((await mine(ann))[0], 'bookmarkId')
  const foreign = await call(ben, 'DELETE', `/${id}`)
  assertRefused(foreign, 404, 'BOOKMARK_NOT_FOUND')
  assert.equal((await call(ann, 'DELETE', `/${id}`)).status, 200)
  assert.equal((await call(ann, 'DELETE', `/${id}`)).status, 404)
  assert.equal((await mine(ann)).length, 4)
  assert.equal((await put(ben, 'clob', 'hail')).status, 200)
  for (const _twice of [1, 2]) assert.equal((await call(ann, 'DELETE', '')).status, 200)
  assert.deepEqual(await mine(ann), [])
  assert.equal((await mine(ben)).length, 1, 'others keep theirs')
})

test('a list is private until its owner shows it, and then again when it is hidden', async () => {
  const stranger = newWallet().address
  const hidden = await shownTo(ben.account)
  const unknown = await shownTo(stranger)
  assertRefused(hidden, 404, 'BOOKMARKS_NOT_SHOWN')
  assert.equal(hidden.text, unknown.text, 'nobody learns whether there is a list')
  assert.equal(hidden.headers.get('cache-control'), unknown.headers.get('cache-control'))
  const reported = await call(ben, 'PATCH', '/visibility', { isPublic: true })
  assert.deepEqual([reported.status, reported.text], [200, '{"isPublic":true}'])
  const shown = await shownTo(ben.account.toLowerCase())
  assert.deepEqual(slugs(entries(shown)), ['hail'])
  assert.deepEqual([at(shown.body, 'isPublic'), at(shown.body, 'total')], [true, 1])
  // Caches ask each time, so what is hidden is hidden at once.
  assert.match(shown.headers.get('cache-control') ?? '', /no-cache/)
  await call(ben, 'PATCH', '/visibility', { isPublic: false })
  assert.equal((await shownTo(ben.account)).text, hidden.text)
  // One who shows an empty list shows that it is empty.
  await call(ann, 'PATCH', '/visibility', { isPublic: true })
  assert.deepEqual(entries(await shownTo(ann.account)), [])
  assert.equal((await shownTo(`0x${'aB'.repeat(20)}`)).status, 400)
})

test('a bookmark follows its market: locked, resolved and out of memory', async () => {
  await call(ann, 'DELETE', '')
  const availabilities = async () => (await mine(ann)).map((each) => at(each, 'availability'))
  for (const [kind, slug] of [
    ['clob', 'rain'],
    ['clob', 'snow'],
    ['ladder', 'cup'],
  ] as const) {
    await put(ann, kind, slug)
  }
  await live.admin('/admin/markets/rain/lock', {})
  assert.deepEqual(await availabilities(), ['active', 'active', 'unavailable'])
  await accepted(live.admin('/admin/markets/snow/resolve', { winningOutcomeIndex: 0 }))
  await accepted(live.admin('/admin/groups/cup/resolve', { winner: 'cup-reds' }))
  const { published } = live.exchange.pipeline
  const isGone = (slug: string) => published.bySlug(slug) === undefined
  while (!['snow', 'cup', 'cup-reds'].every(isGone)) await new Promise(setImmediate)
  assert.deepEqual(await availabilities(), ['resolved', 'resolved', 'unavailable'])
  const data = await mine(ann)
  assert.deepEqual(slugs(data), ['cup', 'snow', 'rain'])
  assert.equal(at(data[0], 'market', 'markets', 0, 'slug'), 'cup-reds')
  const again = await put(ben, 'clob', 'snow')
  assert.deepEqual([again.status, at(again.body, 'availability')], [200, 'resolved'])
})

test('the bookmark above the limit is refused, until another one goes', async () => {
  await call(ann, 'DELETE', '')
  const { bookmarks } = live.exchange.pipeline.clearing.social
  const most = SOCIAL_LIMITS.bookmarksPerProfileMax
  // The state is filled as a hundred calls would fill it.
  const ids = Array.from({ length: most }, (_, at) => 1_000_000 + at)
  const filled = { targetKind: 'clob', seq: 1, putMs: 0 } as const
  for (const marketId of ids) bookmarks.put(ann.profileId, { ...filled, marketId })
  const above = await put(ann, 'clob', 'rain')
  assertRefused(above, 409, 'BOOKMARK_LIMIT')
  assert.equal((await mine(ann)).length, most)
  bookmarks.remove(ann.profileId, ids[7])
  assert.equal((await put(ann, 'clob', 'rain')).status, 200)
  assert.equal((await put(ann, 'clob', 'rain')).status, 200, 'one that is there stays')
  const other = await put(ann, 'clob', 'hail')
  assertRefused(other, 409, 'BOOKMARK_LIMIT')
  for (const marketId of ids.filter((each) => each !== ids[7])) {
    bookmarks.remove(ann.profileId, marketId)
  }
})

test('bookmarks and who sees them outlive a restart', async () => {
  const before = await mine(ann)
  await live.restart()
  assert.deepEqual(await mine(ann), before)
  assert.equal(entries(await shownTo(ann.account)).length, before.length)
  assert.equal((await shownTo(ben.account)).status, 404)
})
