import type { ContractRow } from './contract-rows.ts'

// The calls that the contract only names, and its limits. Each has a test of its own name in
// test/server/contract: the name begins with the call, or with the word limit.

const FOLDER = 'server/contract/'

/** The name of a test is the call and what it is about. */
function callsOf(file: string, tests: readonly string[]): readonly ContractRow[] {
  return tests.map((test) => {
    const [call = '', ...words] = test.split(': ')
    return { of: [call], what: words.join(': '), file: `${FOLDER}${file}`, test }
  })
}

export const NAMED_CALLS: readonly ContractRow[] = [
  ...callsOf('packs', [
    'GET /markets/:slug/packs: those with a leg of a market, group or match',
    'POST /parlay/quote: prices of legs, vig in percent, and every check that fails',
    'POST /parlay/create: a leg outside the prices of packs makes no pack',
    'GET /parlay/markets: markets for packs, each outcome with isMatch',
    'GET /parlay/packs: legs with bookPrice and esportsPropType',
    'GET /parlay/packs/search: the same, of a text',
    'GET /parlay/packs/:id: the same, of one pack',
    'GET /parlay/:account/positions: open to all, by status, limit and offset',
  ]),
  ...callsOf('people', [
    'PUT /market-bookmarks/:targetKind/:targetId: clob, negrisk, ladder and amm',
    'GET /market-bookmarks/me: each with its market and its availability',
    'DELETE /market-bookmarks/:bookmarkId: one of the caller',
    'DELETE /market-bookmarks: all of the caller',
    'PATCH /market-bookmarks/visibility: isPublic, true or false',
    'GET /market-bookmarks/public/:account: open to all, and 404 while private',
    'GET /feed/trading: three audiences, pages of up to 30, kinds of entries',
    'GET /feed/following: the last 24 hours of those whom the caller follows',
    'POST /profiles/x/connection/social-data: username and avatar, or why not',
  ]),
  ...callsOf('boards-and-matches', [
    'GET /portfolio/:account/realized-pnl: of a day, a week, a month or all time',
    'GET /portfolio/:account/pnl-chart: of anybody; that of the caller is not kept',
    'GET /user-stats/accuracy/:account: a body or null, 400, and 404 when it is off',
    'GET /leaderboard/:type: username and profileId; a category needs page and day',
    'GET /leaderboard/pnl/unrealized/biggest-positions: by size or profit, by page',
    'GET /sports/live: scores of what is in play, by sport',
    'GET /sports/events: all matches, those of esports with esportType',
    'GET /sports-markets/:slug/user-orders: of all markets of the match',
    'DELETE /sports-markets/:slug/user-orders: all open orders of the match',
    'GET /market-pages/:id/markets: counts while a filter is active',
  ]),
  ...callsOf('people', [
    'GET /referral/usdc/leaderboard: username and displayName of each',
    'GET /referral/usdc/leaderboard/friends: the same of those whom one follows',
    'GET /referral/usdc/referrals: username, null without one, and displayName',
  ]),
  ...callsOf('boards-and-matches', [
    'POST /mcp: tools for a proven caller, the price history among them',
  ]),
]

/** Calls, separated by commas, and the limit in the words of its test. */
function limitsOf(file: string, stated: readonly (readonly [string, string])[]) {
  return stated.map(([calls, what]): ContractRow => {
    return { of: calls.split(', '), what, file: `${FOLDER}${file}`, test: `limit: ${what}` }
  })
}

const QUOTES = 'POST /parlay/quote'
const STAKES = 'POST /parlay/quote, POST /parlay/create'

export const CONTRACT_LIMITS: readonly ContractRow[] = [
  ...limitsOf('limits', [
    ['POST /orders/batch-cancel', 'a batch cancel names 1 to 50 ids in exactly one list'],
    ['POST /orders, POST /orders/batch-cancel', 'a client order id has at most 128 characters'],
    ['GET /markets/:slug/user-orders', 'own orders of a market, 1 to 200'],
    [
      'GET /markets/:slug/events',
      'trades of a market, 1 to 100, 100 when absent, and pages from 1',
    ],
    [
      'GET /markets/:slug/timeline, GET /markets/timeline',
      'a timeline has 1 and 24 slots by slug, 10 and 10 by symbol, at most 500',
    ],
    ['GET /profiles/search', 'a search of profiles by 2 to 100 characters gives 1 to 20, else 5'],
    ['GET /profiles/social', 'the list of social profiles, 1 to 20, 10 when absent'],
    ['GET /markets/search', 'a plain search of markets gives 10, page 1, similarity 0.5'],
    ['every signed call', 'a signature is good for 30 seconds on both sides of server time'],
    ['POST /heartbeats', 'the deadline of a heartbeat is at least 5 seconds ahead'],
  ]),
  ...limitsOf('people', [
    ['PUT /market-bookmarks/:targetKind/:targetId', '100 bookmarks a profile, and 409 above them'],
  ]),
  ...limitsOf('packs', [
    [
      `${STAKES}, POST /parlay/offers`,
      'the stake of a pack is at most 70, and 100 of one that a maker funds',
    ],
    [STAKES, 'a pack has 2 to 5 legs'],
    [STAKES, 'a pack pays at most 20 times its stake, with a vig of 10 percent'],
    [STAKES, 'the price of a leg is 0.10 to 0.90'],
    [QUOTES, 'what is for sale within 0.10 of the best price counts for a quote'],
    [
      'GET /parlay/:account/positions',
      'public pack positions 1 to 50, 20 when absent; offset capped at 10,000',
    ],
  ]),
  ...limitsOf('people', [
    [
      'GET /feed/trading, GET /feed/following',
      'feed pages of up to 30 entries (trading), of 1 to 100 (following)',
    ],
  ]),
  ...limitsOf('limits', [
    [
      'POST /admin/markets, PATCH /admin/markets/:slug',
      'the description of a market has at most 10,000 characters',
    ],
    [
      'PATCH /profiles/me, POST /admin/profiles',
      'a username has at most 44 characters, made or changed',
    ],
    [
      'GET /markets/:slug/events, GET /feed/trading, GET /user-stats/accuracy/:account, ' +
        'GET /markets/timeline',
      'how long replies are kept: trades of nothing, feed, accuracy, timeline',
    ],
    ['every call', 'a call above its rate is 429, and says when to come again'],
  ]),
]
