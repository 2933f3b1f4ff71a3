import type { FileChanges } from './mutation.ts'

// Matches and scores: what counts once, what is published, and whose orders are meant.

const CORE = ['test/engine/core/sports/matches.test.ts']
const ROUTES = ['matches', 'match-orders'].map((each) => `test/server/api/sports/${each}.test.ts`)
const FRAMES = ['test/server/api/streams/live-scores.test.ts', 'test/hostile/match-scores.test.ts']

export const SPORT_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/sports/matches.ts',
    tests: CORE,
    changes: [
      ['an event of the same sequence counts again', 'event.sequence <= ', 'event.sequence < '],
      [
        'a known id counts again',
        "eventIds.includes(event.eventId)) return 'repeated'",
        'false) return',
      ],
      ['ids are kept for ever', '.slice(-SPORT_LIMITS.eventIdsKept)', ''],
      ['a match ends with its score alone', ' && match.markets.every(({ isGone }) => isGone)', ''],
      [
        'a score is lost when its match is put again',
        'score: before?.score ?? null',
        'score: null',
      ],
      ['a market that left memory comes back', 'isGone: gone.has(each.marketId)', 'isGone: false'],
    ],
  },
  {
    file: 'engine/core/decide/matches.ts',
    tests: CORE,
    changes: [
      ['a market is of two matches', 'return isTaken ? REJECT.MATCH_MARKET_TAKEN : ', 'return '],
      ['a fixture is of two matches', 'ofFixture !== before', 'ofFixture === before'],
      ['events of one call do not know each other', 'received.get(slug) ?? match', 'match'],
    ],
  },
  {
    file: 'persistence/query/read/orders/match-orders.ts',
    tests: ROUTES,
    changes: [
      ['the page is of one market', 'newest.add(', 'if (newest.aboveSeq === 0) newest.add('],
      ['the oldest orders come first', 'sort((a, b) => b - a)', 'sort((a, b) => a - b)'],
    ],
  },
  {
    file: 'persistence/follower/tables/markets/matches.ts',
    tests: ROUTES,
    changes: [
      [
        'a match that is put again keeps its old score',
        'if (isNew) this.#forget',
        'if (!isNew) this.#forget',
      ],
      ['a market stays of a match that it left', 'this.#removeMarkets.run(slug)\n    for', 'for'],
    ],
  },
  {
    file: 'server/api/streams/event-channels.ts',
    tests: FRAMES,
    changes: [
      [
        'every match is in every channel',
        'matches.filter((each) => this.#reports(each))',
        'matches',
      ],
      ['a first frame has what is over', " && phaseOf(match.score) === 'live'", ''],
      ['a first frame has no bound', 'if (leftBytes < 0) break', ''],
    ],
  },
]
