import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { accepted } from '../../../support/replies.ts'

// `include=navigation` gives the pages down to a market; the list of slugs names the markets of a
// group.

const { live } = await exchange({ flags: ['--block-ms', '0'] })

async function made(path: string, body: object): Promise<unknown> {
  const reply = await accepted(live.admin(path, body), 201)
  return reply.body
}

/** The paths of the breadcrumb of a market. */
async function trailOf(slug: string): Promise<readonly unknown[]> {
  let reply = await live.send('GET', `/markets/${slug}?include=navigation`)
  // A busy machine may answer a read too late; every client comes again then.
  while (reply.status === 503) reply = await live.send('GET', `/markets/${slug}?include=navigation`)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(at(reply.body, 'market', 'slug'), slug)
  const trail = at(reply.body, 'navigation')
  assert.ok(Array.isArray(trail), reply.text)
  return trail.map((crumb) => at(crumb, 'path'))
}

await live.openMarket('cup-final', { categories: ['Sport'], tags: ['football'] })
await live.openMarket('court-final', { categories: ['Sport'], tags: ['tennis'] })
await live.openMarket('plain')
await made('/admin/groups', {
  slug: 'league',
  title: 'Who wins the league?',
  categories: ['Sport'],
  tags: ['football'],
  markets: [
    { slug: 'league-reds', title: 'Do the Reds win?', categories: [], tags: [] },
    { slug: 'league-blues', title: 'Do the Blues win?' },
  ],
})

test('without any page the category of a market is its page', async () => {
  assert.deepEqual(await trailOf('cup-final'), ['/sport'])
  assert.deepEqual(await trailOf('plain'), [])
  const bare = await live.send('GET', '/markets/cup-final?include=nextMarket')
  assert.equal(at(bare.body, 'navigation'), undefined)
})

test('the breadcrumb leads to the deepest page of the tree that shows the market', async () => {
  const everything = { slug: 'all', name: 'Everything' }
  await made('/admin/market-pages', everything)
  const sport = { slug: 'sport', name: 'Sport', baseFilter: { category: ['Sport'] } }
  const parentId = String(at(await made('/admin/market-pages', sport), 'id'))
  const baseFilter = { category: ['Sport'], tag: ['football', 'soccer'] }
  await made('/admin/market-pages', { slug: 'football', name: 'Football', parentId, baseFilter })
  const hidden = { slug: 'hidden', name: 'Hidden', parentId, inNavigation: false }
  await made('/admin/market-pages', { ...hidden, baseFilter: { tag: ['tennis'] } })
  assert.deepEqual(await trailOf('cup-final'), ['/sport', '/sport/football'])
  assert.deepEqual(await trailOf('court-final'), ['/sport'])
  assert.deepEqual(await trailOf('plain'), [])
  assert.deepEqual(await trailOf('league'), ['/sport', '/sport/football'])
  assert.deepEqual(await trailOf('league-reds'), ['/sport', '/sport/football'])
})

test('an edit of a market and of a page moves the breadcrumb', async () => {
  await accepted(live.operator('PATCH', '/admin/markets/court-final', { tags: ['football'] }))
  assert.deepEqual(await trailOf('court-final'), ['/sport', '/sport/football'])
  const { pages } = Object((await live.operator('GET', '/admin/market-pages')).body)
  const football = pages.find((page: unknown) => at(page, 'slug') === 'football')
  const path = `/admin/market-pages/${String(at(football, 'id'))}`
  await accepted(live.operator('PUT', path, { slug: 'soccer' }))
  assert.deepEqual(await trailOf('court-final'), ['/sport', '/sport/soccer'])
})

test('a market that left memory keeps its breadcrumb', async () => {
  await accepted(live.admin('/admin/markets/cup-final/resolve', { winningOutcomeIndex: 0 }))
  await live.archived('cup-final')
  assert.deepEqual(await trailOf('cup-final'), ['/sport', '/sport/soccer'])
})

test('the list of slugs names the markets of a group', async () => {
  const slugs = await live.send('GET', '/markets/active/slugs')
  assert.ok(Array.isArray(slugs.body), slugs.text)
  const group = slugs.body.find((each) => at(each, 'slug') === 'league')
  assert.deepEqual(at(group, 'markets'), [{ slug: 'league-reds' }, { slug: 'league-blues' }])
})
