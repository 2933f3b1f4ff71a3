// What there is, a page at a time: profiles, their money, markets of every status.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT } from '../../../engine/domain/reject.ts'
import { admin } from '../../http/auth-scheme.ts'
import { refuse } from '../../http/refusal.ts'
import { route } from '../../http/route.ts'
import { address, isoTime, profileId, slug } from '../../http/schema/fields.ts'
import { boolean, defaulted, integer, nullable, text } from '../../http/schema/scalars.ts'
import { list, object } from '../../http/schema/schema.ts'
import type { PublishedMarket } from '../../pipeline/shown/published.ts'
import { ACCOUNT } from '../examples.ts'
import type { Services } from '../services.ts'

const paging = () => ({
  after: defaulted(integer(0), 0),
  limit: defaulted(integer(1, LIMITS.adminListLimitMax), 50),
})
/** What `after` is for the next page; null behind the last. */
const next = () => nullable(integer(1))

function nextOf(ids: readonly number[], limit: number): number | null {
  return ids.length === limit ? (ids.at(-1) ?? null) : null
}

/** The ids behind `after`, of those from 1 to `count`. */
function idsAfter(after: number, limit: number, count: number): number[] {
  const length = Math.max(0, Math.min(limit, count - after))
  return Array.from({ length }, (_, index) => after + 1 + index)
}

export const listProfiles = route({
  method: 'GET',
  path: '/admin/profiles',
  auth: admin('read'),
  lane: 'admin',
  about: 'Profiles by rising id, a page at a time.',
  query: paging(),
  reply: object({
    profiles: list(
      object({
        profileId: profileId(),
        account: address(),
        rank: nullable(text()),
        feeCapBps: nullable(integer(0, LIMITS.feeBpsMax)),
        isFrozen: boolean(),
      }),
    ),
    next: next(),
  }),
  example: {
    query: { after: 0, limit: 1 },
    reply: {
      profiles: [
        { profileId: 1, account: ACCOUNT, rank: 'Bronze', feeCapBps: null, isFrozen: false },
      ],
      next: 1,
    },
  },
  handle: async ({ query: { after, limit } }, { pipeline }: Services) => {
    const { accounts, frozen } = pipeline.clearing
    const ids = idsAfter(after, limit, accounts.count)
    const profiles = ids.flatMap((id) => {
      const profile = accounts.byId(id)
      if (profile === undefined) return []
      const { account, rank, feeCapBps } = profile
      const isFrozen = frozen.of(id) !== undefined
      return [{ profileId: id, account, rank: rank?.name ?? null, feeCapBps, isFrozen }]
    })
    await pipeline.durable()
    return { profiles, next: nextOf(ids, limit) }
  },
})

const balance = () => ({ profileId: profileId(), freeRaw: integer(), reservedRaw: integer(0) })

function balanceOf({ pipeline }: Services, id: number) {
  const { collateralFreeRaw, collateralReservedRaw } = pipeline.clearing.ledger
  return { profileId: id, freeRaw: collateralFreeRaw[id], reservedRaw: collateralReservedRaw[id] }
}

const BALANCE = { profileId: 1, freeRaw: 1_000_000_000, reservedRaw: 5_200_000 }

export const listBalances = route({
  method: 'GET',
  path: '/admin/balances',
  auth: admin('read'),
  lane: 'admin',
  about: 'Collateral of profiles by rising id, a page at a time, raw.',
  query: paging(),
  reply: object({ balances: list(object(balance())), next: next() }),
  example: { query: { after: 0, limit: 1 }, reply: { balances: [BALANCE], next: 1 } },
  handle: async ({ query: { after, limit } }, services: Services) => {
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
  lane: 'admin',
  about: 'Collateral of one profile, raw.',
  params: { profileId: profileId() },
  reply: object(balance()),
  rejects: ['PROFILE_NOT_FOUND'],
  example: { params: { profileId: 1 }, reply: BALANCE },
  handle: async ({ params }, services: Services) => {
    const { pipeline } = services
    if (params.profileId > pipeline.clearing.accounts.count) {
      return refuse(await pipeline.refused(REJECT.PROFILE_NOT_FOUND))
    }
    const found = balanceOf(services, params.profileId)
    await pipeline.durable()
    return found
  },
})

function rowOf({ market, status, volumeRaw }: PublishedMarket) {
  const { marketId, slug: name, title, deadlineMs } = market
  const deadline = deadlineMs === null ? null : new Date(deadlineMs).toISOString()
  return { id: marketId, slug: name, title, status, deadline, volumeRaw }
}

export const listMarkets = route({
  method: 'GET',
  path: '/admin/markets',
  auth: admin('read'),
  lane: 'admin',
  about: 'Markets of every status by rising id, a page at a time.',
  query: paging(),
  reply: object({
    markets: list(
      object({
        id: integer(1),
        slug: slug(),
        title: text(),
        status: text(),
        deadline: nullable(isoTime()),
        volumeRaw: integer(0),
      }),
    ),
    next: next(),
  }),
  example: {
    query: { after: 0, limit: 1 },
    reply: {
      markets: [
        {
          id: 1,
          slug: 'rain-tomorrow',
          title: 'Will it rain tomorrow?',
          status: 'FUNDED',
          deadline: null,
          volumeRaw: 0,
        },
      ],
      next: 1,
    },
  },
  handle: ({ query: { after, limit } }, { pipeline }: Services) => {
    const { published } = pipeline
    const ids = idsAfter(after, limit, published.all().length)
    const markets = ids.flatMap((id) => {
      const shown = published.byId(id)
      return shown === undefined ? [] : [rowOf(shown)]
    })
    return { markets, next: nextOf(ids, limit) }
  },
})
