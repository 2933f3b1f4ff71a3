// Leaderboards by realised profit and by volume (rules §9.5).

import { BOARD_SPANS } from '../../../persistence/follower/tables/board-spans.ts'
import { leaderboard } from '../../../persistence/query/read/boards/leaderboard.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import { defaulted, integer, means, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { optional } from '../../edge/http/schema/schema.ts'
import type { Issue } from '../../messages/refusal.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import { publicRequester } from '../reads/private-reads.ts'
import { BOARD_EXAMPLE, boardPage, boardView } from './board-shapes.ts'
import type { BoardServices } from './services.ts'

const LIMIT_MAX = 100
const LIMIT_DEFAULT = 25
const OFFSET_MAX = 10_000
const CACHED_SEC = 15

interface Requested {
  readonly type: 'pnl' | 'volume'
  readonly timeframe?: keyof typeof BOARD_SPANS | undefined
  readonly scope: 'all' | 'category'
  readonly marketPageId?: string | undefined
}

/** The error of the call as a whole, or null. */
function issueOf({ type, timeframe, scope, marketPageId }: Requested): Issue | null {
  const issue = (field: string, message: string) => ({ field, message })
  if (scope === 'all') {
    return marketPageId === undefined ? null : issue('marketPageId', 'requires scope=category')
  }
  if (type !== 'pnl') return issue('scope', 'may only be category on the pnl board')
  if (marketPageId === undefined) return issue('marketPageId', 'is required with scope=category')
  const isDay = timeframe === undefined || timeframe === '24h'
  return isDay ? null : issue('timeframe', 'must be 24h with scope=category')
}

export const leaderboardPage = route({
  method: 'GET',
  path: '/leaderboard/:type',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(CACHED_SEC)),
  about: 'Lists accounts by realised profit or by volume; updated every minute.',
  params: {
    type: means(oneOf('pnl', 'volume'), 'Which board: by counted profit, or by counted volume.'),
  },
  query: {
    timeframe: means(
      optional(oneOf('24h', '7d', '30d', 'all')),
      'Period: the current hour and those before. Absent: all, or 24h for a category.',
    ),
    scope: means(
      defaulted(oneOf('all', 'category'), 'all'),
      'All markets, or those of one market page; category requires the pnl board.',
    ),
    marketPageId: means(optional(text(64, 1)), 'Id of the market page, with scope=category.'),
    page: means(
      defaulted(integer(1, OFFSET_MAX + 1), 1),
      `Page to list, counted from 1; pages that begin after row ${OFFSET_MAX + 1} are empty.`,
    ),
    limit: means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Maximum rows per page.'),
  },
  reply: boardPage(),
  means: 'A page of the board; the board of a market page has its best 1,000 rows.',
  rejects: ['VALIDATION', 'PAGE_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { type: 'pnl' },
    query: { timeframe: '7d', scope: 'all', page: 1, limit: LIMIT_DEFAULT },
    reply: BOARD_EXAMPLE,
  },
  handle: async ({ params, query, call }, { boards, marketPages, reads }: BoardServices) => {
    const { type: board } = params
    const { scope, timeframe = 'all', marketPageId = '', page, limit } = query
    const issue = issueOf({ ...query, type: board })
    if (issue !== null) return invalid(issue)
    const requester = publicRequester(call)
    const offset = (page - 1) * limit
    // A deep page costs as much as all rows before it.
    const window = offset > OFFSET_MAX ? { offset: 0, limit: 0 } : { offset, limit }
    if (scope === 'category') {
      const shown = marketPages.directory.byId(marketPageId)
      if (shown === undefined) return refuse('PAGE_NOT_FOUND')
      const found = await boards.ofPage(shown, window, requester)
      return found === undefined ? refuse('READ_TIMEOUT') : boardView(found, { page, limit })
    }
    const request = { board, spanHours: BOARD_SPANS[timeframe], ...window }
    const found = await reads.read(leaderboard, request, requester)
    return found === undefined ? refuse('READ_TIMEOUT') : boardView(found, { page, limit })
  },
})
