// Paged lists: profiles, their money, and markets of every status.

import type { Accounts } from '../../../engine/core/accounts/accounts.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { totalOf } from '../../../engine/domain/units.ts'
import { profiles as shownProfiles } from '../../../persistence/query/read/profiles.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import {
  account,
  address,
  isoTime,
  profileId,
  shownUsername,
  slug,
  uint256Text,
} from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  nullable,
  oneOf,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import { refuse } from '../../messages/refusal.ts'
import { feeCapBps } from '../accounts/profile-fields.ts'
import { ACCOUNT } from '../examples.ts'
import { ANYBODY } from '../reads/private-reads.ts'
import type { AdminServices } from './services.ts'
import { freeRaw, next, paging, RESERVED } from './services.ts'

function nextOf(ids: readonly number[], limit: number): number | null {
  return ids.length === limit ? (ids.at(-1) ?? null) : null
}

/** The ids after `after`, out of 1 to `count`. */
function idsAfter(after: number, limit: number, count: number): number[] {
  const length = Math.max(0, Math.min(limit, count - after))
  return Array.from({ length }, (_, index) => after + 1 + index)
}

/** The profile that has all of the given names, if any. */
function namedIds(
  accounts: Pick<Accounts, 'byAddress' | 'byUsername'>,
  account: string | undefined,
  username: string | undefined,
): ProfileId[] {
  const found = [
    ...(account === undefined ? [] : [accounts.byAddress(account)]),
    ...(username === undefined ? [] : [accounts.byUsername(username)]),
  ].map((profile) => profile?.profileId)
  const [first] = found
  return first !== undefined && found.every((id) => id === first) ? [first] : []
}

export const listProfiles = route({
  method: 'GET',
  path: '/admin/profiles',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Lists profiles by ascending id, by page, or the one with an account or a username.',
  query: {
    ...paging(),
    account: means(optional(address()), 'Account of the one profile to list, in any letter case.'),
    username: means(
      optional(text(LIMITS.usernameCharactersMax, 1)),
      'Username of the one profile to list, in any letter case.',
    ),
  },
  reply: object({
    profiles: means(
      list(
        object({
          profileId: profileId(),
          account: account(),
          username: shownUsername(),
          rank: means(nullable(text()), 'Name of its rank; null without one.'),
          feeCapBps: feeCapBps(),
          isFrozen: means(boolean(), 'True while it can neither trade nor withdraw.'),
        }),
      ),
      'Profiles of this page, by ascending id.',
    ),
    next: next(),
  }),
  means: 'One page of profiles; empty after the last page.',
  example: {
    query: { after: 0, limit: 1 },
    reply: {
      profiles: [
        {
          profileId: 1,
          account: ACCOUNT,
          username: 'rainmaker',
          rank: 'Bronze',
          feeCapBps: null,
          isFrozen: false,
        },
      ],
      next: 1,
    },
  },
  rejects: ['READ_TIMEOUT'],
  handle: async ({ query }, { pipeline, reads }: AdminServices) => {
    const { after, limit, account: wanted, username } = query
    const { accounts, frozen } = pipeline.clearing
    const isOne = wanted !== undefined || username !== undefined
    const ids = isOne
      ? namedIds(accounts, wanted, username).filter((id) => id > after)
      : idsAfter(after, limit, accounts.count)
    const rows = ids.flatMap((id) => {
      const profile = accounts.byId(id)
      if (profile === undefined) return []
      const { account, rank, feeCapBps } = profile
      const isFrozen = frozen.of(id) !== undefined
      return [{ profileId: id, account, rank: rank?.name ?? null, feeCapBps, isFrozen }]
    })
    await pipeline.durable()
    // Only the read tables have usernames; the core holds their hashes.
    const named = await reads.read(shownProfiles, ids)
    if (named === undefined) return refuse('READ_TIMEOUT')
    const names = new Map(named.map((each) => [each?.profileId, each?.username]))
    const profiles = rows.map((row) => ({ ...row, username: names.get(row.profileId) ?? null }))
    return { profiles, next: isOne ? null : nextOf(ids, limit) }
  },
})

const balance = () => ({
  profileId: profileId(),
  freeRaw: freeRaw(),
  reservedRaw: means(integer(0), RESERVED),
})

function balanceOf({ pipeline }: AdminServices, id: number) {
  const { collateralFreeRaw, collateralReservedRaw } = pipeline.clearing.ledger
  return { profileId: id, freeRaw: collateralFreeRaw[id], reservedRaw: collateralReservedRaw[id] }
}

const BALANCE = { profileId: 1, freeRaw: 1_000_000_000, reservedRaw: 5_200_000 }

export const listBalances = route({
  method: 'GET',
  path: '/admin/balances',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Lists the raw collateral of profiles by ascending id, by page.',
  query: paging(),
  reply: object({
    balances: means(list(object(balance())), 'Balances of this page, by ascending profile id.'),
    next: next(),
  }),
  means: 'One page of balances; empty after the last page.',
  example: { query: { after: 0, limit: 1 }, reply: { balances: [BALANCE], next: 1 } },
  handle: async ({ query: { after, limit } }, services: AdminServices) => {
    const ids = idsAfter(after, limit, services.pipeline.clearing.accounts.count)
    const balances = ids.map((id) => balanceOf(services, id))
    await services.pipeline.durable()
    return { balances, next: nextOf(ids, limit) }
  },
})

export const showBalance = route({
  method: 'GET',
  path: '/admin/balances/:profileId',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Returns the raw collateral of one profile.',
  params: { profileId: profileId() },
  reply: object(balance()),
  means: 'The current balance of the profile.',
  rejects: ['PROFILE_NOT_FOUND'],
  example: { params: { profileId: 1 }, reply: BALANCE },
  handle: async ({ params }, services: AdminServices) => {
    const { pipeline } = services
    if (params.profileId > pipeline.clearing.accounts.count) {
      return refuse(await pipeline.refused(REJECT.PROFILE_NOT_FOUND))
    }
    const found = balanceOf(services, params.profileId)
    await pipeline.durable()
    return found
  },
})

function rowOf({ market, status, volume }: PublishedMarket) {
  const { marketId, slug: name, title, deadlineMs } = market
  const correlationKey = market.correlationKey || null
  const deadline = deadlineMs === null ? null : isoText(deadlineMs)
  const volumeRaw = String(totalOf(volume))
  return { id: marketId, slug: name, title, status, deadline, volumeRaw, correlationKey }
}

/** The ids that follow `after` in an order, out of 1 to `lastId`. */
function marketIds(
  { order, after, limit }: { order: 'rising' | 'falling'; after: number; limit: number },
  lastId: number,
): number[] {
  if (order === 'rising') return idsAfter(after, limit, lastId)
  const from = after === 0 ? lastId : Math.min(lastId, after - 1)
  return Array.from({ length: Math.min(limit, from) }, (_, index) => from - index)
}

export const listMarkets = route({
  method: 'GET',
  path: '/admin/markets',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Lists markets of every status by id, by page, or the one with a slug.',
  query: {
    ...paging(),
    after: means(
      defaulted(integer(0), 0),
      'Id of the last market of the previous page; 0 for the first page.',
    ),
    order: means(
      defaulted(oneOf('rising', 'falling'), 'rising'),
      'Order of the ids; falling lists the newest markets first.',
    ),
    slug: optional(slug()),
  },
  reply: object({
    markets: means(
      list(
        object({
          id: means(integer(1), 'Id of the market, counted from 1.'),
          slug: slug(),
          title: means(text(), 'The question of the market.'),
          status: means(text(), 'DRAFT, CREATED, FUNDED, FUNDED_FLAGGED, LOCKED or RESOLVED.'),
          deadline: means(nullable(isoTime()), 'When trading ends; null without a deadline.'),
          volumeRaw: means(uint256Text(), 'Raw collateral traded so far.'),
          correlationKey: means(
            nullable(text()),
            'Exclusion key: markets with the same key cannot share a pack; null without one.',
          ),
        }),
      ),
      'Markets of this page, in the requested order.',
    ),
    next: next(),
  }),
  means: 'One page of markets; empty after the last page.',
  rejects: ['READ_TIMEOUT'],
  example: {
    query: { after: 0, limit: 1, order: 'rising' },
    reply: {
      markets: [
        {
          id: 1,
          slug: 'rain-tomorrow',
          title: 'Will it rain tomorrow?',
          status: 'FUNDED',
          deadline: null,
          volumeRaw: '0',
          correlationKey: null,
        },
      ],
      next: 1,
    },
  },
  handle: async ({ query }, { pipeline, archive }: AdminServices) => {
    if (query.slug !== undefined) {
      const one = await archive.bySlug(query.slug, ANYBODY)
      if (one === undefined) return refuse('READ_TIMEOUT')
      return { markets: one === null ? [] : [rowOf(one)], next: null }
    }
    const ids = marketIds(query, pipeline.published.lastId)
    const found = await archive.byIds(ids)
    if (found === undefined) return refuse('READ_TIMEOUT')
    const markets = ids.flatMap((id) => {
      const shown = found.get(id)
      return shown === undefined ? [] : [rowOf(shown)]
    })
    return { markets, next: nextOf(ids, query.limit) }
  },
})
