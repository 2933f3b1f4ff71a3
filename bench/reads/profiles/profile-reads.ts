// The reads of boards, profiles, packs, feeds and matches, and the values in their paths. Add a
// line for a new read. The maker sends those that are signed.

import type { Random } from '../../../test/support/random.ts'
import { marketSpec, profileFields } from '../../../test/support/specs.ts'
import { readsOf, type Values } from '../read-rows.ts'
import {
  MARKETS,
  MARKETS_OF_MATCHES,
  matchesOf,
  matchSlugOf,
  nameOf,
  type ProfileSize,
} from './profile-history.ts'

const BIGGEST = '/leaderboard/pnl/unrealized/biggest-positions'
const SEARCH = '/profiles/search?query='
export const HOME = 'marketPageId=__home__'
const QUOTE =
  '{"legs":[{"marketSlug":"{slug}","outcomeIndex":0},' +
  '{"marketSlug":"{slug}","outcomeIndex":0}],"stake":"1000000"}'
const TOOL =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_market_price_history",' +
  '"arguments":{"slug":"{slug}","interval":"1d"}}}'

// Both exchanges have five matches in play: a longer page of the large one would have more.
export const PROFILE_READS = readsOf(`
board     open    board by profit                     /leaderboard/pnl
board     open    board by profit of a day            /leaderboard/pnl?timeframe=24h
board     open    board by volume                     /leaderboard/volume?timeframe=7d
board     open    board of a market page              /leaderboard/pnl?scope=category&${HOME}
board     open    biggest positions                   ${BIGGEST}
board     open    biggest positions by profit         ${BIGGEST}?metric=pnl
board     open    biggest positions of a market page  ${BIGGEST}?${HOME}
board     open    accuracy                            /user-stats/accuracy/{account}
board     open    traded volume                       /portfolio/{account}/traded-volume
profiles  open    search of a name                    ${SEARCH}{name}
profiles  open    search of two letters               ${SEARCH}{letters}
profiles  open    search of a handle                  ${SEARCH}%40x_{syllable}
profiles  open    search within names                 ${SEARCH}{middle}
profiles  open    search of a wallet                  ${SEARCH}{account}
profiles  open    search of many wallets              ${SEARCH}0x0000
profiles  open    most followed                       /profiles/social?limit=20
profiles  open    public profile                      /profiles/public/{account}
profiles  signed  own profile                         /profiles/me
profiles  signed  followed profiles                   /profiles/following
profiles  signed  own bookmarks                       /market-bookmarks/me
profiles  open    public bookmarks                    /market-bookmarks/public/{account}
profiles  open    newest packs                        /parlay/positions?limit=50
profiles  open    packs of an account                 /parlay/{account}/positions
profiles  open    packs of a market                   /markets/{slug}/packs
profiles  open    search of packs                     /parlay/positions/search?query={slug}
profiles  open    one pack                            /parlay/positions/{pack}
profiles  open    curated packs                       /parlay/packs
profiles  open    markets for packs                   /parlay/markets
profiles  open    offers of packs                     /parlay/offers
profiles  signed  quote of a pack                     /parlay/quote  ${QUOTE}
profiles  signed  feed of those followed              /feed/following
profiles  open    feed of the exchange, all           /feed/trading?audience=all&limit={limit}
profiles  open    feed of the exchange, featured      /feed/trading?audience=featured&limit={limit}
profiles  signed  feed of the exchange, following     /feed/trading?audience=following&limit={limit}
profiles  open    board of referrals                  /referral/usdc/leaderboard
profiles  signed  board of referred friends           /referral/usdc/leaderboard/friends
profiles  signed  referred profiles                   /referral/usdc/referrals
profiles  open    live matches                        /sports/live?limit=5
profiles  open    matches                             /sports/events?limit=5
profiles  signed  own orders in a match               /sports-markets/{match}/user-orders
profiles  signed  a tool of programs                  /mcp  ${TOOL}
`)

export const accountOf = (profileId: number): string => profileFields(profileId).account

/** `packIds`: ids of some packs. */
export function profileValues(
  size: ProfileSize,
  random: Random,
  packIds: readonly number[],
): Values {
  const profileId = () => 1 + random.below(size.profiles)
  const name = () => nameOf(profileId())
  const matches = Math.min(MARKETS_OF_MATCHES, matchesOf(size))
  return {
    name,
    letters: () => name().slice(0, 2),
    syllable: () => name().slice(0, 3),
    middle: () => name().slice(2, 5),
    account: () => accountOf(profileId()),
    slug: () => marketSpec(1 + random.below(MARKETS)).slug,
    match: () => matchSlugOf(1 + random.below(matches)),
    pack: () => random.pick(packIds),
    // Pages of many sizes: one that was requested is cached for a minute.
    limit: () => 20 + random.below(10),
  }
}
