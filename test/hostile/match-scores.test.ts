import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SPORT_LIMITS } from '../../engine/domain/sports/sport-limits.ts'
import { exchange } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import {
  askMatch,
  askScores,
  eventOf,
  matchBody,
  publishScores,
  putMatch,
} from '../support/live-matches.ts'
import { assertRefused } from '../support/replies.ts'
import { SocketClient } from '../support/socket-client.ts'
import { UnreportedDisk } from '../support/unreported-disk.ts'

// What a feed of scores or a reader of scores could do wrong: floods of events, long lists, odd
// names, more matches than a frame holds.

const { live } = await exchange()
for (const slug of ['m1', 'm2', 'm3', 'constructor']) await live.openMarket(slug)
await putMatch(live, 'one', 1, ['m1'])

test('a thousand events of one match cost the memory of a few ids', async () => {
  const most = SPORT_LIMITS.eventsPerCallMax
  for (let call = 0; call < 10; call++) {
    const events = Array.from({ length: most }, (_none, index) => {
      return eventOf(1, call * most + index + 1, { homeScore: call })
    })
    assert.deepEqual(await publishScores(live, ...events), [most, 0, 0])
  }
  const match = live.exchange.pipeline.clearing.matches.bySlug('one')
  assert.equal(match?.score?.sequence, 10 * most)
  assert.equal(match?.eventIds.length, SPORT_LIMITS.eventIdsKept)
  const tooMany = Array.from({ length: most + 1 }, (_none, index) => eventOf(1, 5000 + index))
  assert.equal((await askScores(live, ...tooMany)).status, 400)
  assert.equal((await askScores(live)).status, 400)
})

test('the highest sequence ends the story of a match, and a removal begins it again', async () => {
  await putMatch(live, 'end', 2, ['m2'])
  const last = eventOf(2, Number.MAX_SAFE_INTEGER)
  assert.deepEqual(await publishScores(live, last), [1, 0, 0])
  assert.deepEqual(await publishScores(live, eventOf(2, 7)), [0, 0, 1])
  for (const sequence of [2 ** 53, 1.5, '1', null]) {
    const event = { ...eventOf(2, 1), sequence }
    assert.equal((await askScores(live, event)).status, 400, String(sequence))
  }
})

test('lists of overs, sets and maps have bounds', async () => {
  await putMatch(live, 'overs', 3, ['m3'], { sportType: 'cricket' })
  const cricket = { eventId: 'o', fixtureId: 3, sequence: 1, sportType: 'cricket' }
  const balls = (count: number) => Array.from({ length: count }, () => 1)
  for (const overRuns of [balls(37), balls(5000), -1, [1.5], [null], {}, 'x', [balls(2)]]) {
    const reply = await askScores(live, { ...cricket, overRuns })
    assertRefused(reply, 400, 'VALIDATION')
  }
  assert.deepEqual(await publishScores(live, { ...cricket, overRuns: balls(36) }), [1, 0, 0])
  const long = Array.from({ length: 17 }, () => ({ home: 1, away: 0 }))
  assert.equal((await askScores(live, eventOf(1, 9001, { setScores: long }))).status, 400)
})

test('names that every object has are names like any other', async () => {
  await putMatch(live, 'constructor', 4, ['constructor'])
  const odd = '{"events":[{"__proto__":{"fixtureId":4},"eventId":"__proto__","fixtureId":4,'
  const rest = '"sequence":1,"sportType":"football"}]}'
  const polluted = await live.admin('/admin/sports/scores', odd + rest)
  assert.equal(polluted.status, 400, polluted.text)
  assert.deepEqual(await publishScores(live, eventOf(4, 1, { eventId: '__proto__' })), [1, 0, 0])
  assert.deepEqual(await publishScores(live, eventOf(4, 2, { eventId: '__proto__' })), [0, 1, 0])
  assert.deepEqual(await publishScores(live, eventOf(4, 3, { eventId: 'toString' })), [1, 0, 0])
  const client = await SocketClient.open(live.port)
  client.socket.emit('subscribe_live_sports')
  const [first] = await client.take('live_sports_update', 1)
  assert.ok(Object.hasOwn(Object(first), 'constructor'))
  client.close()
  for (const slug of ['__proto__', 'A', '-a', 'a b', 'x'.repeat(129)]) {
    const reply = await askMatch(live, encodeURIComponent(slug), matchBody(9, ['m1']))
    assert.equal(reply.status, 400, slug)
  }
})

test('a score is published only once it is durable', async () => {
  const { pipeline } = live.exchange
  const client = await SocketClient.open(live.port)
  client.socket.emit('subscribe_live_sports')
  await client.take('live_sports_update', 1)
  await pipeline.durable()
  const disk = new UnreportedDisk(pipeline)
  const { lastSeq } = pipeline.clearing
  const reporting = publishScores(live, eventOf(1, 20_000, { homeScore: 77 }))
  while (pipeline.clearing.lastSeq === lastSeq) await live.send('GET', '/health')
  for (let round = 0; round < 5; round++) await live.send('GET', '/health')
  assert.equal(client.of('live_sports_update').length, 1)
  assert.notEqual(pipeline.published.matches.bySlug('one')?.score?.sequence, 20_000)
  disk.reportAll()
  assert.deepEqual(await reporting, [1, 0, 0])
  const [, reported] = await client.take('live_sports_update', 2)
  assert.equal(at(reported, 'one', 'homeScore'), 77)
  client.close()
})

test('of more matches than a frame holds the newest come first, the others later', async () => {
  const count = 400
  const { pipeline } = live.exchange
  const { matches } = pipeline.clearing
  const one = matches.bySlug('one')
  assert(one !== undefined)
  // Put by commands of their own: a match over HTTP needs a market of its own.
  for (let number = 0; number < count; number++) {
    const match = { ...one, slug: `many-${number}`, fixtureId: 1000 + number, markets: [] }
    await pipeline.change(() => ({ kind: 'putMatch', match }))
  }
  for (let from = 0; from < count; from += 100) {
    const events = Array.from({ length: 100 }, (_none, index) => {
      return eventOf(1000 + from + index, 1, { status: 'x'.repeat(60) })
    })
    assert.deepEqual(await publishScores(live, ...events), [100, 0, 0])
  }
  const client = await SocketClient.open(live.port)
  client.socket.emit('subscribe_live_sports')
  const [first] = await client.take('live_sports_update', 1)
  const shown = Object.keys(Object(first))
  const bytes = JSON.stringify(first).length
  assert.ok(bytes <= SPORT_LIMITS.firstFrameBytesMax + 2, `${bytes} bytes`)
  assert.ok(shown.length > 100 && shown.length < count)
  assert.ok(shown.includes(`many-${count - 1}`) && !shown.includes('many-0'))
  await publishScores(live, eventOf(1000, 2, { homeScore: 5 }))
  const [, later] = await client.take('live_sports_update', 2)
  assert.deepEqual(Object.keys(Object(later)), ['many-0'])
  client.close()
  const page = await live.read('/sports/live?limit=100')
  assert.equal(page.status, 200)
  assert.ok(textAt(page.body, 'nextCursor') !== '')
})
