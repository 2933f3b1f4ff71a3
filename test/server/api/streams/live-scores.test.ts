import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { eventOf, publishScores, putMatch, removeMatch } from '../../../support/live-matches.ts'
import { SocketClient } from '../../../support/socket-client.ts'
import { closeAll } from '../../../support/socket-desk.ts'

// The channels `subscribe_live_sports` and `subscribe_live_esports` (rules §12.8).

const SPORTS = 'live_sports_update'
const ESPORTS = 'live_esports_update'
const { live } = await exchange()
const clients: SocketClient[] = []

before(async () => {
  for (const slug of ['m1', 'm2', 'm3']) await live.openMarket(slug)
  await putMatch(live, 'derby', 1, ['m1'])
  await putMatch(live, 'test-match', 2, ['m2'], { sportType: 'cricket' })
  await putMatch(live, 'final', 3, ['m3'], { sportType: 'esports', esportType: 'cs2' })
})
afterEach(async () => {
  await closeAll(live, clients)
})

async function join(...channels: string[]): Promise<SocketClient> {
  const client = await SocketClient.open(live.port)
  clients.push(client)
  for (const channel of channels) client.socket.emit(channel)
  await client.take('system', channels.length)
  return client
}

const maps = (sequence: number, home: number, more: object = {}) => ({
  eventId: `m${sequence}`,
  fixtureId: 3,
  sequence,
  sportType: 'esports',
  matchScore: { home, away: 0 },
  ...more,
})

test('a reader receives what is in play at once, then each change of its channel', async () => {
  const early = await join('subscribe_live_sports', 'subscribe_live_esports')
  assert.deepEqual(await early.take(SPORTS, 1), [{}], 'nothing is in play')
  await publishScores(live, eventOf(1, 1, { homeScore: 1, statusShort: '1H', elapsedMinutes: 7 }))
  await publishScores(live, maps(1, 1, { gameScores: [{ home: 13, away: 0 }], status: 'running' }))
  const derby = {
    fixtureId: 1,
    isFinished: false,
    sportType: 'football',
    homeScore: 1,
    awayScore: 0,
    elapsedMinutes: 7,
    extraMinutes: null,
    statusShort: '1H',
    status: '',
  }
  const final = {
    matchId: 3,
    sportType: 'esports',
    isFinished: false,
    status: 'running',
    matchScore: { home: 1, away: 0 },
    gameScores: [{ home: 13, away: 0 }],
  }
  assert.deepEqual(await early.take(SPORTS, 2), [{}, { derby }])
  assert.deepEqual(await early.take(ESPORTS, 2), [{}, { final }])
  const late = await join('subscribe_live_sports')
  assert.deepEqual(await late.take(SPORTS, 1), [{ derby }])
  assert.deepEqual(late.of(ESPORTS), [], 'it did not ask for esports')
})

test('cricket has its own fields, and one frame has the events of one call', async () => {
  const reader = await join('subscribe_live_sports')
  await reader.take(SPORTS, 1)
  const runs = { homeRuns: 0, homeWickets: 0, awayRuns: 12, awayWickets: 1, overRuns: 0 }
  const cricket = { eventId: 'c', fixtureId: 2, sequence: 1, sportType: 'cricket', ...runs }
  await publishScores(live, cricket, eventOf(1, 2), eventOf(1, 3, { awayScore: 1 }))
  const [, both] = await reader.take(SPORTS, 2)
  assert.deepEqual(Object.keys(Object(both)).sort(), ['derby', 'test-match'])
  assert.equal(at(both, 'derby', 'awayScore'), 1, 'the newest score of the call')
  assert.equal(at(both, 'test-match', 'sportType'), 'cricket')
  for (const [name, value] of Object.entries(runs)) {
    assert.equal(at(both, 'test-match', name), value, name)
  }
  assert.equal(at(both, 'test-match', 'battingTeam'), undefined)
})

test('a repeated event is sent to nobody, and the end of a match to everybody', async () => {
  const reader = await join('subscribe_live_sports')
  await reader.take(SPORTS, 1)
  await publishScores(live, eventOf(1, 3), eventOf(1, 1))
  await publishScores(live, eventOf(1, 4, { isFinished: true, statusShort: 'FT' }))
  const [, end] = await reader.take(SPORTS, 2)
  assert.equal(at(end, 'derby', 'isFinished'), true)
  const late = await join('subscribe_live_sports')
  const [first] = await late.take(SPORTS, 1)
  assert.deepEqual(Object.keys(Object(first)), ['test-match'], 'what is over is not in play')
})

test('a reader that left a channel receives nothing more of it', async () => {
  const reader = await join('subscribe_live_sports', 'subscribe_live_esports')
  await reader.take(ESPORTS, 1)
  const answer = await reader.socket
    .timeout(5000)
    .emitWithAck('unsubscribe', { channel: 'subscribe_live_esports' })
  assert.deepEqual(answer, {})
  await publishScores(live, maps(2, 2), eventOf(1, 5))
  await reader.take(SPORTS, 2)
  assert.equal(reader.of(ESPORTS).length, 1)
})

test('a removed match is in no first frame, and scores outlast a restart', async () => {
  await removeMatch(live, 'test-match')
  await live.restart()
  const reader = await join('subscribe_live_sports', 'subscribe_live_esports')
  const [sports] = await reader.take(SPORTS, 1)
  assert.deepEqual(Object.keys(Object(sports)), ['derby'])
  const [esports] = await reader.take(ESPORTS, 1)
  assert.deepEqual(at(esports, 'final', 'matchScore'), { home: 2, away: 0 })
})
