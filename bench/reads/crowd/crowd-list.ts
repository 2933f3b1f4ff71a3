// What `make bench-reads` asks the exchange of many profiles. Add a row for a new read.

import { type Ask, getting } from '../../http/calls.ts'
import { type Asking, accountOf, anyId, anySlug, matchSlugOf, nameOf } from './crowd-names.ts'
import { MARKETS_OF_MATCHES, matchesOf } from './crowd-size.ts'

export interface CrowdRead {
  readonly name: string
  /** By which rows are judged together. */
  readonly kind: 'board' | 'profiles'
  readonly ask: (asking: Asking) => Ask
  /** The maker asks, with its token. */
  readonly isSigned?: boolean
}

const BIGGEST = '/leaderboard/pnl/unrealized/biggest-positions'
export const HOME = 'marketPageId=__home__'
/** Both exchanges have so many matches in play: a longer page of the large one would have more. */
const PAGE_OF_BOTH = 5

const board = (name: string, path: string): CrowdRead => {
  return { name, kind: 'board', ask: () => getting(path) }
}

const BOARDS: readonly CrowdRead[] = [
  board('board by profit', '/leaderboard/pnl'),
  board('board by profit of a day', '/leaderboard/pnl?timeframe=24h'),
  board('board by volume', '/leaderboard/volume?timeframe=7d'),
  board('board of a market page', `/leaderboard/pnl?scope=category&${HOME}`),
  board('biggest positions', BIGGEST),
  board('biggest positions by profit', `${BIGGEST}?metric=pnl`),
  board('biggest positions of a market page', `${BIGGEST}?${HOME}`),
  {
    name: 'accuracy',
    kind: 'board',
    ask: (asking) => getting(`/user-stats/accuracy/${accountOf(anyId(asking))}`),
  },
  {
    name: 'traded volume',
    kind: 'board',
    ask: (asking) => getting(`/portfolio/${accountOf(anyId(asking))}/traded-volume`),
  },
]

const open = (name: string, path: (asking: Asking) => string): CrowdRead => {
  return { name, kind: 'profiles', ask: (asking) => getting(path(asking)) }
}
const signed = (name: string, path: (asking: Asking) => string): CrowdRead => {
  return { ...open(name, path), isSigned: true }
}
const search = (text: string) => `/profiles/search?query=${encodeURIComponent(text)}`
const feed =
  (audience: string) =>
  ({ random }: Asking) =>
    `/feed/trading?audience=${audience}&limit=${20 + random.below(10)}`

const PROFILES: readonly CrowdRead[] = [
  open('search of a name', (asking) => search(nameOf(anyId(asking)))),
  open('search of two letters', (asking) => search(nameOf(anyId(asking)).slice(0, 2))),
  open('search of a handle', (asking) => search(`@x_${nameOf(anyId(asking)).slice(0, 3)}`)),
  open('search within names', (asking) => search(nameOf(anyId(asking)).slice(2, 5))),
  open('search of a wallet', (asking) => search(accountOf(anyId(asking)))),
  open('search of many wallets', () => search('0x0000')),
  open('most followed', () => '/profiles/social?limit=20'),
  open('public profile', (asking) => `/profiles/public/${accountOf(anyId(asking))}`),
  signed('own profile', () => '/profiles/me'),
  signed('followed profiles', () => '/profiles/following'),
  signed('own bookmarks', () => '/market-bookmarks/me'),
  open('public bookmarks', (asking) => `/market-bookmarks/public/${accountOf(anyId(asking))}`),
]

const PACKS: readonly CrowdRead[] = [
  open('newest packs', () => '/parlay/positions?limit=50'),
  open('packs of an account', (asking) => `/parlay/${accountOf(anyId(asking))}/positions`),
  open('packs of a market', (asking) => `/markets/${anySlug(asking)}/packs`),
  open('search of packs', (asking) => `/parlay/positions/search?query=${anySlug(asking)}`),
  open('one pack', ({ random, packIds }) => `/parlay/positions/${random.pick([...packIds])}`),
  open('curated packs', () => '/parlay/packs'),
  open('markets for packs', () => '/parlay/markets'),
  open('offers of packs', () => '/parlay/offers'),
  {
    name: 'quote of a pack',
    kind: 'profiles',
    ask: (asking) => {
      const legs = [anySlug(asking), anySlug(asking)].map((marketSlug) => {
        return { marketSlug, outcomeIndex: 0 }
      })
      const body = JSON.stringify({ legs, stake: '1000000' })
      return { method: 'POST', path: '/parlay/quote', body }
    },
    isSigned: true,
  },
]

const OTHERS: readonly CrowdRead[] = [
  signed('feed of those followed', () => '/feed/following'),
  open('feed of the exchange, all', feed('all')),
  open('feed of the exchange, featured', feed('featured')),
  signed('feed of the exchange, following', feed('following')),
  open('board of referrals', () => '/referral/usdc/leaderboard'),
  signed('board of referred friends', () => '/referral/usdc/leaderboard/friends'),
  signed('referred profiles', () => '/referral/usdc/referrals'),
  open('live matches', () => `/sports/live?limit=${PAGE_OF_BOTH}`),
  open('matches', () => `/sports/events?limit=${PAGE_OF_BOTH}`),
  signed('own orders in a match', ({ random, size }) => {
    const matches = Math.min(MARKETS_OF_MATCHES, matchesOf(size))
    return `/sports-markets/${matchSlugOf(1 + random.below(matches))}/user-orders`
  }),
  {
    name: 'a tool of programs',
    kind: 'profiles',
    ask: (asking) => {
      const params = {
        name: 'get_market_price_history',
        arguments: { slug: anySlug(asking), interval: '1d' },
      }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      return { method: 'POST', path: '/mcp', body }
    },
    isSigned: true,
  },
]

export const CROWD_READS: readonly CrowdRead[] = [...BOARDS, ...PROFILES, ...PACKS, ...OTHERS]
