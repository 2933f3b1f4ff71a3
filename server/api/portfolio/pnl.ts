// Profits of profiles over time (rules §9.3).

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { type Realised, realised } from '../../../persistence/query/read/portfolio/realised.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import { account } from '../../edge/http/schema/fields.ts'
import {
  defaulted,
  integer,
  means,
  number,
  oneOf,
  rawText,
} from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, schemaOf } from '../../edge/http/schema/schema.ts'
import { Refusal, refuse } from '../../messages/refusal.ts'
import { profileOf } from '../accounts/profile-fields.ts'
import { ACCOUNT } from '../examples.ts'
import { publicRequester, type Requester, requesterOf } from '../reads/private-reads.ts'
import { unitsOf } from '../shapes.ts'
import type { PortfolioServices } from './services.ts'

const HOURS_PER_DAY = 24
const POINTS_MAX = 400

/** Hours between points, and the number of points; a week is 7d, a month 30d. */
const WINDOWS = {
  '1d': { stepHours: 1, steps: 24 },
  '7d': { stepHours: 6, steps: 28 },
  '1w': { stepHours: 6, steps: 28 },
  '30d': { stepHours: HOURS_PER_DAY, steps: 30 },
  '1m': { stepHours: HOURS_PER_DAY, steps: 30 },
  all: { stepHours: HOURS_PER_DAY, steps: null },
} as const
type Timeframe = keyof typeof WINDOWS

const timeframe = (fallback: Timeframe) =>
  means(
    defaulted(oneOf('1d', '7d', '1w', '30d', '1m', 'all'), fallback),
    'Period: 7d and 1w are a week, 30d and 1m are 30 days.',
  )

function changeOf(fromRaw: number, toRaw: number): number {
  if (fromRaw === 0) return 0
  return Math.round(((toRaw - fromRaw) / Math.abs(fromRaw)) * 10_000) / 100
}

interface Wanted {
  readonly owner: ProfileId
  readonly frame: Timeframe
  readonly requester: Requester
  readonly wantsMarkets?: boolean
}

function read(
  { owner, frame, requester, wantsMarkets = false }: Wanted,
  services: PortfolioServices,
) {
  const { reads, clock } = services
  const window = { ...WINDOWS[frame], pointsMax: POINTS_MAX, wantsMarkets }
  return reads.read(realised, { owner, nowMs: clock(), ...window }, requester)
}

const usd = (what: string) => means(number(), what)

const chart = () =>
  object({
    timeframe: means(oneOf('1d', '7d', '1w', '30d', '1m', 'all'), 'The requested period.'),
    data: means(
      list(
        object({
          timestamp: means(
            integer(0),
            'End of a step of the window, in Unix milliseconds; the last is now.',
          ),
          value: usd('Profit realised until then, in whole collateral.'),
        }),
      ),
      'The chart, oldest point first.',
    ),
    currentValue: usd('Profit realised until now, in whole collateral.'),
    previousValue: usd('Profit realised until the start of the period.'),
    percentChange: usd('Change from then until now in percent; 0 if it was 0.'),
    current: means(
      anyOf(
        object({
          realised: usd('Profit of shares sold, merged or redeemed.'),
          unrealised: usd('Value of the shares held, minus their cost.'),
          total: usd('Sum of both, in whole collateral.'),
        }),
        schemaOf<null>({ type: 'null' }),
      ),
      'Current profit, only for the owner. Null for others.',
    ),
  })

function chartOf(frame: Timeframe, { points, beforeRaw }: Realised, unrealisedRaw: number | null) {
  const nowRaw = points.at(-1)?.totalRaw ?? 0
  return {
    timeframe: frame,
    data: points.map(({ atMs, totalRaw }) => ({ timestamp: atMs, value: unitsOf(totalRaw) })),
    currentValue: unitsOf(nowRaw),
    previousValue: unitsOf(beforeRaw),
    percentChange: changeOf(beforeRaw, nowRaw),
    current:
      unrealisedRaw === null
        ? null
        : {
            realised: unitsOf(nowRaw),
            unrealised: unitsOf(unrealisedRaw),
            total: unitsOf(nowRaw + unrealisedRaw),
          },
  }
}

const CHART_EXAMPLE = {
  timeframe: '1d' as const,
  data: [
    { timestamp: 1_767_222_000_000, value: 0 },
    { timestamp: 1_767_225_600_000, value: 5.44 },
  ],
  currentValue: 5.44,
  previousValue: 0,
  percentChange: 0,
  current: { realised: 5.44, unrealised: 6.62, total: 12.06 },
}

export const portfolioChart = route({
  method: 'GET',
  path: '/portfolio/pnl-chart',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  rateClass: 'private',
  about: 'Returns the profit of the caller over time, and the value of its shares.',
  query: { timeframe: timeframe('7d') },
  reply: chart(),
  means: 'The chart of the caller.',
  rejects: ['READ_TIMEOUT'],
  example: { query: { timeframe: '1d' }, reply: CHART_EXAMPLE },
  handle: async ({ query, owner, caller, call }, services: PortfolioServices) => {
    const requester = requesterOf({ caller, call })
    const found = await read({ owner, frame: query.timeframe, requester }, services)
    const unrealisedRaw = await services.portfolio.unrealisedRaw(owner, requester)
    if (found === undefined || unrealisedRaw === undefined) return refuse('READ_TIMEOUT')
    return chartOf(query.timeframe, found, unrealisedRaw)
  },
})

export const accountChart = route({
  method: 'GET',
  path: '/portfolio/:account/pnl-chart',
  auth: eitherOf(hmac(), sessionOrIdentity()).orNobody(),
  rateClass: 'public',
  about: 'Returns the profit of an account over time; its owner also sees its unrealised profit.',
  params: { account: account() },
  query: { timeframe: timeframe('7d') },
  reply: chart(),
  means: 'The chart of the account; empty if it never traded.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: {
    params: { account: ACCOUNT },
    query: { timeframe: '1d' },
    reply: { ...CHART_EXAMPLE, current: null },
  },
  handle: async ({ params, query, caller, call }, services: PortfolioServices) => {
    const owner = profileOf(params.account, services)
    if (owner instanceof Refusal) return owner
    const requester = caller === null ? publicRequester(call) : requesterOf({ caller, call })
    const found = await read({ owner, frame: query.timeframe, requester }, services)
    if (found === undefined) return refuse('READ_TIMEOUT')
    if (caller?.profileId !== owner) {
      return chartOf(query.timeframe, found, null)
    }
    const unrealisedRaw = await services.portfolio.unrealisedRaw(owner, requester)
    if (unrealisedRaw === undefined) return refuse('READ_TIMEOUT')
    return chartOf(query.timeframe, found, unrealisedRaw)
  },
})

export const realisedPnl = route({
  method: 'GET',
  path: '/portfolio/:account/realized-pnl',
  auth: eitherOf(hmac(), sessionOrIdentity()).orNobody(),
  rateClass: 'public',
  shared: { cache: cached(REVALIDATE), when: () => true },
  about: 'Returns the profit that an account realised in a period, and in how many markets.',
  params: { account: account() },
  query: { timeframe: timeframe('all') },
  reply: object({
    timeframe: means(oneOf('1d', '7d', '1w', '30d', '1m', 'all'), 'The requested period.'),
    realizedPnl: usd('Profit realised in the period, in whole collateral.'),
    realizedPnlRaw: means(rawText(), 'The same in raw collateral.'),
    marketsCount: means(integer(0), 'Number of these markets; at most 10,000 are counted.'),
  }),
  means: 'The realised profit of the account.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: {
    params: { account: ACCOUNT },
    query: { timeframe: '1w' },
    reply: { timeframe: '1w', realizedPnl: 5.44, realizedPnlRaw: '5443299', marketsCount: 1 },
  },
  handle: async ({ params, query, caller, call }, services: PortfolioServices) => {
    const owner = profileOf(params.account, services)
    if (owner instanceof Refusal) return owner
    const requester = caller === null ? publicRequester(call) : requesterOf({ caller, call })
    const found = await read(
      { owner, frame: query.timeframe, requester, wantsMarkets: true },
      services,
    )
    if (found === undefined) return refuse('READ_TIMEOUT')
    const { points, beforeRaw, marketCount } = found
    const raw = (points.at(-1)?.totalRaw ?? 0) - beforeRaw
    return {
      timeframe: query.timeframe,
      realizedPnl: unitsOf(raw),
      realizedPnlRaw: String(raw),
      marketsCount: marketCount,
    }
  },
})
