// What `make bench-reads` asks the exchange of many profiles. Add a row for a new read.

import { getting, type ReadRequest } from '../../http/calls.ts'
import { accountOf, anyId, anySlug, matchSlugOf, nameOf, type Sample } from './crowd-names.ts'
import { MARKETS_OF_MATCHES, matchesOf } from './crowd-size.ts'

export interface CrowdRead {
  readonly name: string
  /** By which rows are judged together. */
  readonly kind: 'board' | 'profiles'
  readonly request: (sample: Sample) => ReadRequest
  /** The maker asks, with its token. */
  readonly isSigned?: boolean
}

const BIGGEST = '/leaderboard/pnl/unrealized/biggest-positions'
export const HOME = 'marketPageId=__home__'
/** Both exchanges have so many matches in play: a longer page of the large one would have more. */
const PAGE_OF_BOTH = 5

const board = (name: string, path: string): CrowdRead => {
  return { name, kind: 'board', request: () => getting(path) }
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
    request: (sample) => getting(`/user-stats/accuracy/${accountOf(anyId(sample))}`),
  },
  {
    name: 'traded volume',
    kind: 'board',
    request: (sample) => getting(`/portfolio/${accountOf(anyId(sample))}/traded-volume`),
  },
]

const open = (name: string, path: (sample: Sample) => string): CrowdRead => {
  return { name, kind: 'profiles', request: (sample) => getting(path(sample)) }
}
const signed = (name: string, path: (sample: Sample) => string): CrowdRead => {
  return { ...open(name, path), isSigned: true }
}
const search = (text: string) => `/profiles/search?query=${encodeURIComponent(text)}`
const feed =
  (audience: string) =>
  ({ random }: Sample) =>
    `/feed/trading?audience=${audience}&limit=${20 + random.below(10)}`

const PROFILES: readonly CrowdRead[] = [
  open('search of a name', (sample) => search(nameOf(anyId(sample)))),
  open('search of two letters', (sample) => search(nameOf(anyId(sample)).slice(0, 2))),
  open('search of a handle', (sample) => search(`@x_${nameOf(anyId(sample)).slice(0, 3)}`)),
  open('search within names', (sample) => search(nameOf(anyId(sample)).slice(2, 5))),
  open('search of a wallet', (sample) => search(accountOf(anyId(sample)))),
  open('search of many wallets', () => search('0x0000')),
  open('most followed', () => '/profiles/social?limit=20'),
  open('public profile', (sample) => `/profiles/public/${accountOf(anyId(sample))}`),
  signed('own profile', () => '/profiles/me'),
  signed('followed profiles', () => '/profiles/following'),
  signed('own bookmarks', () => '/market-bookmarks/me'),
  open('public bookmarks', (sample) => `/market-bookmarks/public/${accountOf(anyId(sample))}`),
]

const PACKS: readonly CrowdRead[] = [
  open('newest packs', () => '/parlay/positions?limit=50'),
  open('packs of an account', (sample) => `/parlay/${accountOf(anyId(sample))}/positions`),
  open('packs of a market', (sample) => `/markets/${anySlug(sample)}/packs`),
  open('search of packs', (sample) => `/parlay/positions/search?query=${anySlug(sample)}`),
  open('one pack', ({ random, packIds }) => `/parlay/positions/${random.pick([...packIds])}`),
  open('curated packs', () => '/parlay/packs'),
  open('markets for packs', () => '/parlay/markets'),
  open('offers of packs', () => '/parlay/offers'),
  {
    name: 'quote of a pack',
    kind: 'profiles',
    request: (sample) => {
      const legs = [anySlug(sample), anySlug(sample)].map((marketSlug) => {
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
    request: (sample) => {
      const params = {
        name: 'get_market_price_history',
        arguments: { slug: anySlug(sample), interval: '1d' },
      }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      return { method: 'POST', path: '/mcp', body }
    },
    isSigned: true,
  },
]

export const CROWD_READS: readonly CrowdRead[] = [...BOARDS, ...PROFILES, ...PACKS, ...OTHERS]
