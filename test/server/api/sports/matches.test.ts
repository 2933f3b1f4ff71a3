import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import {
  askMatch,
  askScores,
  eventOf,
  matchBody,
  publishScores,
  putMatch,
  removeMatch,
} from '../../../support/live-matches.ts'
import { answered, assertRefused, listAt, type Reply } from '../../../support/replies.ts'

// Matches of sports and esports as operators put them and as everybody reads them (rules §12.8).

const MARKETS = 8
const { live } = await exchange()
for (let number = 1; number <= MARKETS; number++) await live.openMarket(`m${number}`)
const markets = ['g-a', 'g-b'].map((slug) => ({ slug, title: slug }))
await live.admin('/admin/groups', { slug: 'g', title: 'Who wins?', markets })
afterEach(async () => {
  for (const slug of slugsOf(await get('/sports/events?limit=100'))) await removeMatch(live, slug)
})

async function get(path: string): Promise<Reply> {
  const reply = await live.read(path)
  assert.equal(reply.status, 200, `${path}: ${reply.text}`)
  return reply
}

const slugsOf = (reply: Reply) => listAt(reply, 'data').map((each) => textAt(each, 'slug'))

test('the markets of a match are of sports, as long as it has them', async () => {
  const typeOf = async (slug: string) =>
    textAt((await get(`/markets/${slug}`)).body, 'automationType')
  const ofSports = async () => {
    const data = listAt(await get('/markets/active?automationType=sports'), 'data')
    return data.map((each) => textAt(each, 'slug')).sort()
  }
  assert.deepEqual([await typeOf('m1'), await ofSports()], ['manual', []])
  await putMatch(live, 'final', 7, ['m1', 'm2', 'g-a'])
  // A group is listed as one, and is no market of the match itself.
  assert.deepEqual(await ofSports(), ['m1', 'm2'])
  assert.deepEqual(await Promise.all(['m1', 'g-a', 'm3'].map(typeOf)), [
    'sports',
    'sports',
    'manual',
  ])
  await putMatch(live, 'final', 7, ['m2', 'm3'])
  assert.deepEqual(await ofSports(), ['m2', 'm3'])
  await removeMatch(live, 'final')
  assert.deepEqual([await typeOf('m2'), await ofSports()], ['manual', []])
})

test('a match is shown as it was put, and as it was put again', async () => {
  const esports = { sportType: 'esports', esportType: 'cs2', startsAt: 1_772_366_400_000 }
  const markets = [{ slug: 'm1', esportsPropType: 'map_winner' }, { slug: 'g-a' }]
  const sides = { home: { name: 'North', logo: 'https://x/n.png' }, away: { name: 'South' } }
  const put = await askMatch(live, 'final', matchBody(7, [], { ...esports, ...sides, markets }))
  const shown = {
    slug: 'final',
    title: 'Match 7',
    sportType: 'esports',
    esportType: 'cs2',
    fixtureId: 7,
    startsAt: '2026-03-01T12:00:00.000Z',
    home: { name: 'North', logo: 'https://x/n.png' },
    away: { name: 'South', logo: null },
    markets: [
      { slug: 'm1', esportsPropType: 'map_winner' },
      { slug: 'g-a', esportsPropType: null },
    ],
  }
  assert.deepEqual([put.status, put.body], [200, shown])
  const page = await get('/sports/events')
  assert.deepEqual(page.body, {
    data: [{ ...shown, status: 'upcoming', score: null }],
    nextCursor: null,
  })
  assert.equal(page.headers.get('cache-control'), 'public, max-age=3')
  assert.ok(page.headers.get('etag') !== null)
  await putMatch(live, 'final', 7, ['m2'], { title: 'Again' })
  const again = await get('/sports/events')
  assert.equal(at(again.body, 'data', 0, 'title'), 'Again')
  assert.deepEqual(at(again.body, 'data', 0, 'markets'), [{ slug: 'm2', esportsPropType: null }])
  const audit = await answered(() => live.operator('GET', '/admin/audit?limit=1'))
  assert.ok(audit.text.includes('"putMatch"') && audit.text.includes('final'), audit.text)
})

test('a match that cannot be is refused, and nothing changes', async () => {
  await putMatch(live, 'one', 1, ['m1'])
  await putMatch(live, 'two', 2, ['m2'])
  await publishScores(live, eventOf(1, 1))
  const rows: [slug: string, body: object, status: number, code: string][] = [
    ['three', matchBody(3, ['m2']), 409, 'MATCH_MARKET_TAKEN'],
    ['three', matchBody(2, ['m3']), 409, 'MATCH_FIXTURE_TAKEN'],
    ['one', matchBody(1, ['m1'], { sportType: 'tennis' }), 409, 'MATCH_SCORED'],
    ['one', matchBody(9, ['m1']), 409, 'MATCH_SCORED'],
    ['three', matchBody(3, ['m3', 'm3']), 400, 'MATCH_MARKET_INVALID'],
    ['three', matchBody(3, ['g']), 400, 'MATCH_MARKET_INVALID'],
    ['three', matchBody(3, ['nowhere']), 404, 'MARKET_NOT_FOUND'],
    ['three', matchBody(3, []), 400, 'VALIDATION'],
    ['three', matchBody(3, ['m3'], { fixtureId: 0 }), 400, 'VALIDATION'],
    ['three', matchBody(3, ['m3'], { sportType: 'chess' }), 400, 'VALIDATION'],
    ['three', matchBody(3, ['m3'], { startsAt: 'soon' }), 400, 'VALIDATION'],
    ['three', matchBody(3, ['m3'], { startsAt: 9e15 }), 400, 'VALIDATION'],
    ['three', matchBody(3, ['m3'], { esportType: 'cs2' }), 400, 'VALIDATION'],
    ['three', matchBody(3, ['m3'], { home: { name: '' } }), 400, 'VALIDATION'],
    ['three', matchBody(3, ['m3'], { score: 1 }), 400, 'VALIDATION'],
    ['Three', matchBody(3, ['m3']), 400, 'VALIDATION'],
  ]
  const prop = [{ slug: 'm3', esportsPropType: 'total_maps' }]
  rows.push(['three', matchBody(3, [], { markets: prop }), 400, 'VALIDATION'])
  const wide = Array.from({ length: 65 }, (_none, index) => `m${index}`)
  rows.push(['three', matchBody(3, wide), 400, 'VALIDATION'])
  const { lastSeq } = live.exchange.pipeline.clearing
  for (const [slug, body, status, code] of rows) {
    assertRefused(await askMatch(live, slug, body), status, code, JSON.stringify(body))
  }
  const gone = await live.operator('DELETE', '/admin/sports/matches/three')
  assertRefused(gone, 404, 'MATCH_NOT_FOUND')
  assert.equal(live.exchange.pipeline.clearing.lastSeq, lastSeq, 'nothing is stamped')
})

const tennis = { sportType: 'tennis' }
const esports = { sportType: 'esports' }

test('live matches come first, then those to come, then finished ones, page by page', async () => {
  const at2 = (day: number) => ({ startsAt: `2026-03-0${day}T12:00:00Z` })
  const rows = [
    ['live-late', 1, { ...at2(3), ...tennis }],
    ['live-early', 2, at2(2)],
    ['soon', 3, at2(4)],
    ['later', 4, { ...at2(5), ...tennis }],
    ['soon-b', 5, { ...at2(4), ...esports, esportType: 'cs2' }],
    ['done-late', 6, { ...at2(2), ...esports, esportType: 'dota2' }],
    ['done-early', 7, at2(1)],
  ] as const
  for (const [slug, number, changes] of rows)
    await putMatch(live, slug, number, [`m${number}`], changes)
  await publishScores(
    live,
    eventOf(1, 1, tennis),
    eventOf(2, 1),
    eventOf(7, 1, { isFinished: true }),
  )
  const maps = { ...esports, homeScore: undefined, awayScore: undefined, isFinished: true }
  await publishScores(live, eventOf(6, 1, { ...maps, matchScore: { home: 2, away: 0 } }))
  const all = ['live-early', 'live-late', 'soon', 'soon-b', 'later', 'done-late', 'done-early']
  for (const limit of [1, 2, 3, 6, 7, 100]) {
    const found: string[] = []
    let cursor: unknown = ''
    while (cursor !== null) {
      const page = await get(`/sports/events?limit=${limit}&cursor=${String(cursor)}`)
      found.push(...slugsOf(page))
      cursor = at(page.body, 'nextCursor')
    }
    assert.deepEqual(found, all, `limit ${limit}`)
  }
  const queries: [query: string, slugs: string[]][] = [
    ['events?status=upcoming', ['soon', 'soon-b', 'later']],
    ['events?status=finished', ['done-late', 'done-early']],
    ['events?sportType=tennis', ['live-late', 'later']],
    ['events?esportType=cs2', ['soon-b']],
    ['events?sportType=esports&status=finished', ['done-late']],
    ['events?sportType=football&esportType=cs2', []],
    ['live', ['live-early', 'live-late']],
    ['live?sportType=football', ['live-early']],
    ['live?sportType=cricket', []],
  ]
  for (const [query, slugs] of queries) {
    assert.deepEqual(slugsOf(await get(`/sports/${query}`)), slugs, query)
  }
  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  const bad = ['x', '=', encoded('live.1'), encoded('live.01.a'), encoded('odd.1.a'), encoded('1')]
  for (const cursor of [...bad, encoded('live.1.__proto__'), 'x'.repeat(300)]) {
    assertRefused(await live.send('GET', `/sports/events?cursor=${cursor}`), 400, 'VALIDATION')
  }
  for (const query of ['limit=0', 'limit=101', 'status=odd', 'esportType=__proto__', 'page=1']) {
    assertRefused(await live.send('GET', `/sports/events?${query}`), 400, 'VALIDATION', query)
  }
})

test('an event counts once, and an older one never', async () => {
  await putMatch(live, 'one', 1, ['m1'])
  await putMatch(live, 'two', 2, ['m2'])
  const score = async () => at((await get('/sports/live')).body, 'data', 0, 'score')
  assert.deepEqual(await publishScores(live, eventOf(1, 5, { homeScore: 1 })), [1, 0, 0])
  const shown = {
    fixtureId: 1,
    isFinished: false,
    sportType: 'football',
    homeScore: 1,
    awayScore: 0,
    elapsedMinutes: null,
    extraMinutes: null,
    statusShort: '',
    status: '',
  }
  assert.deepEqual(await score(), shown)
  const { lastSeq } = live.exchange.pipeline.clearing
  assert.deepEqual(await publishScores(live, eventOf(1, 5, { homeScore: 9 })), [0, 1, 0])
  assert.deepEqual(await publishScores(live, eventOf(1, 4, { homeScore: 9 })), [0, 0, 1])
  const renumbered = eventOf(1, 6, { eventId: 'e1-5', homeScore: 9 })
  assert.deepEqual(await publishScores(live, renumbered), [0, 1, 0])
  assert.equal(live.exchange.pipeline.clearing.lastSeq, lastSeq, 'nothing is stamped')
  assert.deepEqual(await score(), shown)
  const mixed = await askScores(live, eventOf(1, 7), eventOf(9, 1), eventOf(1, 7), eventOf(9, 2))
  const counts = { applied: 1, repeated: 1, outdated: 0, unknownFixtures: [9] }
  assert.deepEqual(mixed.body, counts)
})

test('scores of each sport have their own fields, and zeros stay', async () => {
  const runs = { homeRuns: 0, homeWickets: 0, awayRuns: 0, awayWickets: 0, overRuns: [0, 0, 4] }
  const now = { battingTeam: 'away', currentOver: 0, ballInOver: 0 }
  const event = (fixtureId: number, sportType: string, fields: object) => {
    return { eventId: 'e', fixtureId, sequence: 1, sportType, ...fields }
  }
  const sets = { homeScore: 1, awayScore: 0, setScores: [{ home: 6, away: 0 }] }
  const maps = { matchScore: { home: 0, away: 1 }, gameScores: [{ home: 0, away: 13 }] }
  await putMatch(live, 'cricket', 1, ['m1'], { sportType: 'cricket' })
  await putMatch(live, 'tennis', 2, ['m2'], tennis)
  await putMatch(live, 'esports', 3, ['m3'], esports)
  await publishScores(live, event(1, 'cricket', { ...runs, ...now, status: 'First innings' }))
  await publishScores(live, event(2, 'tennis', sets), event(3, 'esports', maps))
  const { body } = await get('/sports/live')
  const fixed = { elapsedMinutes: null, extraMinutes: null, statusShort: '', isFinished: false }
  const zeros = { homeScore: 0, awayScore: 0, status: 'First innings' }
  const all = { cricket: 0, esports: 1, tennis: 2 }
  assert.deepEqual(at(body, 'data', all.cricket, 'score'), {
    fixtureId: 1,
    sportType: 'cricket',
    ...fixed,
    ...runs,
    ...now,
    ...zeros,
  })
  assert.deepEqual(at(body, 'data', all.esports, 'score'), {
    matchId: 3,
    sportType: 'esports',
    isFinished: false,
    status: '',
    ...maps,
  })
  assert.deepEqual(at(body, 'data', all.tennis, 'score'), {
    fixtureId: 2,
    sportType: 'tennis',
    status: '',
    ...fixed,
    ...sets,
  })
  // Without `battingTeam`, `currentOver` and `ballInOver`, and with the over in all.
  const plain = event(1, 'cricket', { ...runs, eventId: 'f', sequence: 2, overRuns: 0 })
  await publishScores(live, plain)
  const reported = at((await get('/sports/live?sportType=cricket')).body, 'data', 0, 'score')
  assert.equal(at(reported, 'overRuns'), 0)
  for (const name of Object.keys(now)) assert.equal(at(reported, name), undefined)
  // A side without an event has no score yet; its runs and wickets are numbers all the same.
  await publishScores(live, event(1, 'cricket', { eventId: 'g', sequence: 3, awayRuns: 0 }))
  const early = at((await get('/sports/live?sportType=cricket')).body, 'data', 0, 'score')
  assert.deepEqual(
    ['homeScore', 'awayScore', 'homeRuns', 'homeWickets'].map((name) => at(early, name)),
    [null, 0, 0, 0],
  )
})

test('an event that does not fit its sport is refused with the whole call', async () => {
  await putMatch(live, 'one', 1, ['m1'])
  const fine = eventOf(1, 1)
  const { lastSeq } = live.exchange.pipeline.clearing
  const wrong: [event: object, field: string][] = [
    [eventOf(1, 2, { homeRuns: 1 }), 'events.1.homeRuns'],
    [eventOf(1, 2, { matchScore: { home: 1, away: 0 } }), 'events.1.matchScore'],
    [{ eventId: 'e', fixtureId: 1, sequence: 2, sportType: 'esports' }, 'events.1.matchScore'],
    [eventOf(1, 2, { homeScore: -1 }), 'events.1.homeScore'],
    [eventOf(1, 0), 'events.1.sequence'],
    [eventOf(1, 2, { eventId: '' }), 'events.1.eventId'],
  ]
  for (const [event, field] of wrong) {
    const reply = await askScores(live, fine, event)
    assertRefused(reply, 400, 'VALIDATION')
    assert.ok(reply.text.includes(`"${field}"`), reply.text)
  }
  const other = eventOf(1, 2, { sportType: 'tennis' })
  assertRefused(await askScores(live, fine, other), 400, 'SCORE_OF_OTHER_SPORT')
  assert.equal(live.exchange.pipeline.clearing.lastSeq, lastSeq, 'nothing is stamped')
})
