import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import {
  decideMatch,
  decideMatchRemoval,
  decideScores,
  type FixtureEvent,
  type MatchRequest,
} from '../../../../engine/core/decide/matches.ts'
import { Exchange } from '../../../../engine/core/exchange.ts'
import { REJECT, Reject } from '../../../../engine/domain/reject-precedence.ts'
import type { SportType } from '../../../../engine/domain/sports/match.ts'
import { SPORT_LIMITS } from '../../../../engine/domain/sports/sport-limits.ts'
import { decodeCommand, encodeControl } from '../../../../engine/wire/codec.ts'
import { packed, unpacked } from '../../../support/packed-state.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { marketSpec } from '../../../support/specs.ts'

// Matches, their markets and their scores (rules §12.8).

const SEED = freshSeed()

type Control = Parameters<typeof encodeControl>[0]
type Body = Control extends infer Each
  ? Each extends Control
    ? Omit<Each, 'seq' | 'nowMs'>
    : never
  : never

class Flow {
  readonly exchange = new Exchange()
  nowMs = 1000

  get clearing() {
    return this.exchange.clearing
  }

  get matches() {
    return this.exchange.clearing.matches
  }

  /** Applies a command as the journal gives it back. */
  control(body: Body): void {
    const command: Control = { ...body, seq: this.clearing.lastSeq + 1, nowMs: ++this.nowMs }
    this.exchange.apply(decodeCommand(encodeControl(command)))
  }

  /** Makes markets with these ids, which are the next ones. */
  markets(...marketIds: number[]): void {
    for (const marketId of marketIds) {
      this.control({ kind: 'createMarket', marketId, book: marketId, market: marketSpec(marketId) })
    }
  }

  over(marketId: number): void {
    const resolutions = [{ marketId, payoutNumerators: [1, 0] as const }]
    this.control({ kind: 'resolveMarkets', resolutions })
    this.control({ kind: 'archiveMarket', marketId })
  }

  put(wanted: MatchRequest): Reject | null {
    const match = decideMatch(this.clearing, wanted)
    if (match instanceof Reject) return match
    this.control({ kind: 'putMatch', match })
    return null
  }

  score(...events: FixtureEvent[]): readonly string[] {
    const decided = decideScores(this.clearing, events)
    assert(!(decided instanceof Reject))
    const { scores, verdicts } = decided
    if (scores.length > 0) this.control({ kind: 'scoreMatches', scores })
    return verdicts
  }
}

function requestOf(
  slug: string,
  fixtureId: number,
  marketIds: readonly number[],
  changes: Partial<MatchRequest> = {},
): MatchRequest {
  return {
    slug,
    title: slug,
    sportType: 'football',
    esportType: null,
    fixtureId,
    startsMs: 5,
    home: { name: 'Reds', logo: null },
    away: { name: 'Blues', logo: 'é.png' },
    markets: marketIds.map((id) => ({ slug: `market-${id}`, propType: null })),
    ...changes,
  }
}

function event(fixtureId: number, sequence: number, changes: Partial<FixtureEvent> = {}) {
  const sportType: SportType = 'football'
  const scoreJson = `{"at":${sequence}}`
  const named = { fixtureId, eventId: `e${sequence}`, sequence, sportType }
  return { ...named, isFinished: false, scoreJson, ...changes }
}

test('the score is that of the highest sequence, however events come and come again', () => {
  const random = new Random(SEED)
  const flow = new Flow()
  flow.markets(1, 2)
  flow.put(requestOf('a', 1, [1]))
  flow.put(requestOf('b', 2, [2]))
  /** Every event that ever changed each match, in its order. */
  const received: Record<number, FixtureEvent[]> = { 1: [], 2: [] }
  for (let step = 0; step < 600; step++) {
    const events = Array.from({ length: random.between(1, 4) }, () => {
      const sequence = random.between(1, 1 + step)
      // A few ids come with another sequence than before.
      const eventId = `e${random.chance(0.1) ? random.below(step + 1) : sequence}`
      return event(random.between(1, 2), sequence, { eventId })
    })
    const verdicts = events.map((each) => {
      const all = received[each.fixtureId]
      const newestIds = all.slice(-SPORT_LIMITS.eventIdsKept).map(({ eventId }) => eventId)
      if (newestIds.includes(each.eventId)) return 'repeated'
      if (all.some(({ sequence }) => sequence >= each.sequence)) return 'outdated'
      all.push(each)
      return 'applied'
    })
    assert.deepEqual(flow.score(...events), verdicts, `seed ${SEED} step ${step}`)
    for (const fixtureId of [1, 2]) {
      const score = flow.matches.byFixture(fixtureId)?.score
      const newest = received[fixtureId].at(-1)
      assert.equal(score?.scoreJson, newest?.scoreJson, `seed ${SEED} step ${step}`)
    }
  }
})

test('a match leaves memory once it is finished and the last of its markets is gone', () => {
  const flow = new Flow()
  flow.markets(1, 2, 3)
  flow.put(requestOf('a', 1, [1, 2]))
  flow.over(1)
  assert.equal(flow.matches.byMarket(1), undefined)
  assert.equal(flow.put(requestOf('a', 1, [1, 2], { title: 'again' })), null, 'it keeps its market')
  flow.score(event(1, 1, { isFinished: true }))
  assert.equal(flow.matches.bySlug('a')?.title, 'again')
  flow.over(2)
  assert.equal(flow.matches.bySlug('a'), undefined)
  assert.equal(flow.matches.byFixture(1), undefined)
  assert.deepEqual(flow.score(event(1, 2)), ['unknown'])
  // The other order: all markets first, then the end of the match.
  flow.put(requestOf('b', 1, [3]))
  flow.over(3)
  assert.equal(flow.matches.count, 1)
  flow.score(event(1, 1), event(1, 2, { isFinished: true }), event(1, 3))
  assert.equal(flow.matches.count, 1, 'a later event says that it goes on')
  flow.score(event(1, 4, { isFinished: true }))
  assert.equal(flow.matches.count, 0)
})

test('a match that is put without its live markets, finished before, leaves memory', () => {
  const flow = new Flow()
  flow.markets(1, 2)
  flow.put(requestOf('a', 1, [1, 2]))
  flow.over(1)
  flow.score(event(1, 1, { isFinished: true }))
  assert.equal(flow.put(requestOf('a', 1, [1])), null)
  assert.equal(flow.matches.count, 0)
  assert.equal(flow.put(requestOf('b', 2, [2])), null, 'its market is free')
})

test('gates of matches: the first that fails is reported', () => {
  const flow = new Flow()
  flow.markets(1, 2, 3)
  flow.put(requestOf('a', 1, [1]))
  flow.put(requestOf('b', 2, [2]))
  flow.score(event(1, 1))
  const rows: [MatchRequest, Reject | null][] = [
    [requestOf('c', 1, [3]), REJECT.MATCH_FIXTURE_TAKEN],
    [requestOf('a', 2, [1]), REJECT.MATCH_FIXTURE_TAKEN],
    [requestOf('a', 3, [1]), REJECT.MATCH_SCORED],
    [requestOf('a', 1, [1], { sportType: 'tennis' }), REJECT.MATCH_SCORED],
    [requestOf('c', 3, [3, 3]), REJECT.MATCH_MARKET_INVALID],
    [requestOf('c', 3, [4]), REJECT.MARKET_NOT_FOUND],
    [requestOf('c', 3, [1]), REJECT.MATCH_MARKET_TAKEN],
    [requestOf('a', 1, [1, 2]), REJECT.MATCH_MARKET_TAKEN],
    [requestOf('b', 3, [2, 3], { sportType: 'tennis' }), null],
  ]
  for (const [wanted, expected] of rows)
    assert.equal(flow.put(wanted), expected, JSON.stringify(wanted))
  assert.equal(decideMatchRemoval(flow.clearing, 'c'), REJECT.MATCH_NOT_FOUND)
  const { clearing } = flow
  assert.equal(decideScores(clearing, [event(3, 1)]), REJECT.SCORE_OF_OTHER_SPORT)
  flow.control({ kind: 'removeMatch', slug: 'b' })
  assert.equal(flow.put(requestOf('c', 3, [2, 3])), null, 'fixture and markets are free again')
})

test('the limit of matches is a limit on those in memory', () => {
  const flow = new Flow()
  flow.markets(1)
  flow.put(requestOf('a', 1, [1]))
  const { matches } = flow
  const one = matches.bySlug('a')
  assert(one !== undefined)
  const many = Array.from({ length: SPORT_LIMITS.matchesMax - 1 }, (_none, index) => {
    return { ...one, slug: `m${index}`, fixtureId: index + 2, markets: [] }
  })
  for (const match of many) flow.control({ kind: 'putMatch', match })
  assert.equal(matches.count, SPORT_LIMITS.matchesMax)
  assert.equal(flow.put(requestOf('one-more', 99_999, [])), REJECT.MATCH_LIMIT)
  assert.equal(flow.put(requestOf('a', 1, [1], { title: 'b' })), null, 'what is there may be put')
  flow.control({ kind: 'removeMatch', slug: 'm7' })
  assert.equal(flow.put(requestOf('one-more', 99_999, [])), null)
})

test('matches come back from a snapshot as they were', () => {
  const flow = new Flow()
  const empty = flow.exchange.stateHash()
  flow.markets(1, 2, 3)
  const markets = [{ slug: 'market-3', propType: 'map_winner' as const }]
  flow.put(requestOf('a', 1, [1, 2]))
  flow.put(requestOf('b', 2, [], { sportType: 'esports', esportType: 'cs2', markets }))
  flow.over(1)
  flow.score(event(1, 1), event(1, 7), event(2, 3, { sportType: 'esports', isFinished: true }))
  const hash = flow.exchange.stateHash()
  assert.notEqual(hash, empty)
  const state = packed(flow.exchange)
  const { matches: before } = capture(flow.exchange)
  const again = restore(unpacked(state))
  assert.equal(again.stateHash(), hash)
  assert.deepEqual(capture(again).matches, before)
  const { matches } = again.clearing
  assert.equal(matches.byMarket(1), undefined)
  assert.equal(matches.byMarket(2)?.slug, 'a')
  assert.deepEqual(matches.byFixture(1)?.eventIds, ['e1', 'e7'])
})
