// The schema of a feed entry, with examples.

import { LEG_RESULTS } from '../../../engine/core/packs/packs.ts'
import { PACK_STATUSES } from '../../../persistence/follower/packs/packs.ts'
import { isoTime, profileId, slug, uint256Text } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { account, shownUsername } from '../../edge/http/schema/profile-fields.ts'
import { integer, nullable, number, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, optional, schemaOf } from '../../edge/http/schema/schema.ts'
import { nameToShow } from '../accounts/profile-fields.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { legFields } from '../packs/leg-views.ts'

const NOTHING = () => schemaOf<null>({ type: 'null' })

const user = () =>
  object({
    profileId: profileId(),
    account: account(),
    username: shownUsername(),
    displayName: nameToShow(),
    pfpUrl: means(nullable(text()), 'Link to the picture of the trader; null without one.'),
    rankName: means(nullable(text()), 'Name of the rank of the trader; null without one.'),
  })

const group = () =>
  object({
    slug: means(text(), 'Slug of the group.'),
    title: means(text(), 'The question of the group.'),
  })

const market = () =>
  object({
    id: means(integer(1), 'Id of the market.'),
    slug: slug(),
    title: means(text(), 'The question of the market.'),
    group: means(anyOf(group(), NOTHING()), 'The group of the market; null for none.'),
  })

const pack = () =>
  object({
    id: means(text(), 'Id of the pack, for GET /parlay/positions/:id.'),
    status: means(oneOf(...PACK_STATUSES), 'ACTIVE until it is lost or all legs are decided.'),
    stake: means(uint256Text(), 'Raw collateral that its maker staked.'),
    payout: means(uint256Text(), 'Raw collateral that it pays or paid if it wins.'),
    legs: means(
      list(
        object({
          ...legFields(),
          result: means(oneOf(...LEG_RESULTS), 'Result of the leg; VOID legs do not count.'),
        }),
      ),
      'Its legs, which must all win.',
    ),
  })

/** An event: a taker's trade in a book or with a pool, a pack, or the resolution of a market. */
export const entry = () =>
  object({
    id: means(text(), 'Unique id of the entry.'),
    type: means(
      oneOf('BOUGHT', 'SOLD', 'RESOLVED', 'PARLAY_PLACED', 'PARLAY_RESOLVED'),
      'Kind of event: a taker bought or sold, a market was resolved, a pack was made or ended.',
    ),
    timestamp: means(isoTime(), 'When it happened.'),
    user: means(
      anyOf(user(), NOTHING()),
      'Profile that acted; null for a resolution and for an unknown profile.',
    ),
    market: means(anyOf(market(), NOTHING()), 'Market of the event; null for a pack.'),
    side: means(optional(oneOf('BUY', 'SELL')), 'Side of the taker; only for a trade.'),
    outcome: means(optional(oneOf('YES', 'NO')), 'Outcome traded; only for a trade.'),
    price: means(optional(number(0)), 'Average price of one share; only for a trade.'),
    contracts: means(optional(uint256Text()), 'Raw shares traded; only for a trade.'),
    amountUsd: means(
      optional(number(0)),
      'Whole collateral paid or received for the shares: before fees in a book, with the fee of ' +
        'a pool. Only for a trade.',
    ),
    pack: means(optional(pack()), 'Current state of the pack; only for a pack.'),
    winningOutcome: means(
      optional(nullable(oneOf('YES', 'NO'))),
      'Outcome that won; null if the payout is split; only for a resolution.',
    ),
  })

const AT = MARKET_EXAMPLE.createdAt
const { id, slug: named, title } = MARKET_EXAMPLE
const MARKET = { id, slug: named, title, group: null }

export const BOUGHT_EXAMPLE = {
  id: '42',
  type: 'BOUGHT' as const,
  timestamp: AT,
  user: {
    profileId: 1,
    account: ACCOUNT,
    username: null,
    displayName: ACCOUNT,
    pfpUrl: null,
    rankName: 'Bronze',
  },
  market: MARKET,
  side: 'BUY' as const,
  outcome: 'YES' as const,
  price: 0.52,
  contracts: '100000000',
  amountUsd: 52,
}

export const RESOLVED_EXAMPLE = {
  id: '97-1',
  type: 'RESOLVED' as const,
  timestamp: AT,
  user: null,
  market: MARKET,
  winningOutcome: 'YES' as const,
}

export const PACK_PLACED_EXAMPLE = {
  id: '98',
  type: 'PARLAY_PLACED' as const,
  timestamp: AT,
  user: BOUGHT_EXAMPLE.user,
  market: null,
  pack: {
    id: '98',
    status: 'ACTIVE' as const,
    stake: '10000000',
    payout: '45000000',
    legs: [{ marketSlug: named, title, outcomeIndex: 0, result: 'PENDING' as const }],
  },
}
