// The operator's calls on recurring markets, and the oracle's reports (rules §10).

import type { PriceReport } from '../../../engine/core/markets/oracle.ts'
import type { Series } from '../../../engine/core/markets/series-table.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import {
  FREQUENCIES,
  isSlotLength,
  type SeriesSpec,
  SUB_FREQUENCIES,
} from '../../../engine/domain/markets/series.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { isoTime, slug } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  integer,
  line,
  means,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { priceText } from '../../exchange/read-model/market-view.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import { message } from '../shapes.ts'
import {
  aboutOf,
  commonOf,
  rebateIssue,
  seriesFields,
  specIssue,
  title,
  venueFields,
} from './admin-markets.ts'
import type { AdminServices } from './services.ts'

const SLOTS_AHEAD = 24
const E8_DIGITS = 8

const symbol = () =>
  pattern('^[A-Z0-9]{1,16}$', 'Symbol of an asset: 1 to 16 capital letters and digits.')

const price = () =>
  pattern(
    '^(0|[1-9][0-9]{0,6})([.][0-9]{1,8})?$',
    'Price as decimal text, up to 9,999,999 with eight decimals.',
  )

/** A price of `price()` times 10^8: exact, and at most 2^53. */
function priceE8Of(given: string): number {
  const [whole, rest = ''] = given.split('.')
  return Number(whole + rest.padEnd(E8_DIGITS, '0'))
}

const seriesId = () => means(integer(1), 'Id of the series, counted from 1.')

export const createSeries = route({
  method: 'POST',
  path: '/admin/series',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Creates a series of recurring markets; its slots are created automatically.',
  body: object({
    symbol: means(symbol(), 'Symbol of the asset, as the oracle reports it.'),
    frequency: means(oneOf(...FREQUENCIES), 'How often a slot begins.'),
    subFrequency: means(
      optional(oneOf(...SUB_FREQUENCIES)),
      'Length of a slot; required for minutely and hourly series, absent for others.',
    ),
    stableSlug: means(slug(), 'Slug of the market of the current slot.'),
    slugPrefix: means(slug(), 'Prefix of the slugs of its slots.'),
    title: means(title(), 'Prefix of the titles of its slots.'),
    assetName: means(line(64, 1), 'Name of the asset, such as Bitcoin.'),
    assetType: means(optional(line(32, 1)), 'Kind of asset; crypto by default.'),
    slotsAhead: means(
      optional(integer(1, LIMITS.slotsAheadMax)),
      'How many slots are created ahead of the current one; 24 by default.',
    ),
    strikePrice: means(
      optional(price()),
      'Price at the start of the slot in progress: the series begins with that slot. Absent ' +
        'for a series that begins with the next slot.',
    ),
    ...seriesFields,
    ...venueFields,
  }),
  status: 201,
  reply: object({ seriesId: seriesId() }),
  means: 'The series is created. Its slots follow shortly.',
  links: {
    edit: {
      to: 'PATCH /admin/series/:seriesId',
      about: 'Changes the series.',
      params: { seriesId: '/seriesId' },
    },
    end: {
      to: 'DELETE /admin/series/:seriesId',
      about: 'Ends the series.',
      params: { seriesId: '/seriesId' },
    },
  },
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'SLUG_TAKEN',
    'SERIES_EXISTS',
    'SERIES_LIMIT',
    'CATEGORY_LIMIT',
    'READ_TIMEOUT',
  ],
  example: {
    body: {
      symbol: 'BTC',
      frequency: 'minutely',
      subFrequency: 'minutes_5',
      stableSlug: 'btc-5min-price',
      slugPrefix: 'btc-5m',
      title: 'Bitcoin up or down',
      assetName: 'Bitcoin',
    },
    reply: { seriesId: 1 },
  },
  handle: async ({ body, caller }, services: AdminServices) => {
    const { symbol: ofSeries, frequency, subFrequency = null, stableSlug, slugPrefix } = body
    if (!isSlotLength({ frequency, subFrequency })) {
      const message =
        'is not a valid slot length for this frequency; daily and weekly series have none'
      return invalid({ field: 'subFrequency', message })
    }
    const issue = specIssue({ ...body, slug: stableSlug }, null, services)
    if (issue !== null) return invalid(issue)
    const strikeE8 = body.strikePrice === undefined ? 0 : priceE8Of(body.strikePrice)
    if (body.strikePrice !== undefined && strikeE8 === 0) {
      return invalid({ field: 'strikePrice', message: 'must be above 0' })
    }
    const { slug: _slug, ...common } = commonOf({ ...body, slug: stableSlug }, services)
    const series: SeriesSpec = {
      ...common,
      symbol: ofSeries,
      frequency,
      subFrequency,
      stableSlug,
      slugPrefix,
      assetName: body.assetName,
      assetType: body.assetType ?? 'crypto',
      slotsAhead: body.slotsAhead ?? SLOTS_AHEAD,
    }
    const made = await services.series.create(series, strikeE8, caller.operator.name)
    return made instanceof Reject ? refuse(made) : { seriesId: made }
  },
})

const seriesRow = () =>
  object({
    seriesId: seriesId(),
    symbol: means(symbol(), 'Symbol of the asset, as the oracle reports it.'),
    frequency: means(oneOf(...FREQUENCIES), 'How often a slot begins.'),
    subFrequency: means(
      nullable(oneOf(...SUB_FREQUENCIES)),
      'Length of a slot of a minutely or hourly series; null for others.',
    ),
    stableSlug: means(text(), 'Slug of the market of the current slot.'),
    title: means(text(), 'Prefix of the titles of its slots.'),
    isEnded: means(boolean(), 'True when no more slots are created.'),
    slots: means(integer(0), 'How many of its slots are in memory, most of them future.'),
    lastEndsAt: means(nullable(isoTime()), 'When its newest slot ends; null without one.'),
    lastPrice: means(
      nullable(text()),
      'Newest oracle price of the asset, as decimal text; null before the first.',
    ),
    lastPriceAt: means(
      nullable(isoTime()),
      'When the oracle observed that price; null without one.',
    ),
    correlationKey: means(
      nullable(text()),
      'Exclusion key of its slots for packs, besides the symbol; null without one.',
    ),
    createdAt: means(isoTime(), 'When the series was created.'),
  })

function seriesView(series: Series, newest: PriceReport | undefined) {
  const { seriesId: id, symbol: asset, frequency, subFrequency, stableSlug, isEnded } = series
  return {
    seriesId: id,
    symbol: asset,
    frequency,
    subFrequency,
    stableSlug,
    title: series.title,
    isEnded,
    slots: series.slots.size,
    lastEndsAt: series.lastEndMs === 0 ? null : isoText(series.lastEndMs),
    lastPrice: newest === undefined ? null : priceText(newest.priceE8),
    lastPriceAt: newest === undefined ? null : isoText(newest.atMs),
    correlationKey: series.correlationKey || null,
    createdAt: isoText(series.createdMs),
  }
}

export const listSeries = route({
  method: 'GET',
  path: '/admin/series',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Lists the active series, and ended ones that still have slots, by ascending id.',
  reply: object({ series: means(list(seriesRow()), 'Every series in memory.') }),
  means: 'The current series.',
  example: {
    reply: {
      series: [
        {
          seriesId: 1,
          symbol: 'BTC',
          frequency: 'minutely',
          subFrequency: 'minutes_5',
          stableSlug: 'btc-5min-price',
          title: 'Bitcoin up or down',
          isEnded: false,
          slots: 26,
          lastEndsAt: '2026-01-01T02:00:00.000Z',
          lastPrice: '95000.5',
          lastPriceAt: '2026-01-01T00:00:01.000Z',
          correlationKey: null,
          createdAt: '2026-01-01T00:00:00.000Z',
        },
      ],
    },
  },
  handle: async (_input, { pipeline }: AdminServices) => {
    // Read before the wait, so that the result is durable after it.
    const { series: table, oracle } = pipeline.clearing
    const series = Array.from(table.all(), (each) => seriesView(each, oracle.newest(each.symbol)))
    await pipeline.durable()
    return { series }
  },
})

export const editSeries = route({
  method: 'PATCH',
  path: '/admin/series/:seriesId',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Edits the description of a series, for slots created later; existing slots stay.',
  params: { seriesId: seriesId() },
  body: object({
    title: means(optional(title()), 'Prefix of the titles of its slots.'),
    ...seriesFields,
  }),
  reply: message(),
  means: 'The series is updated.',
  rejects: ['OVERLOADED', 'VALIDATION', 'CATEGORY_LIMIT', 'SERIES_NOT_FOUND'],
  example: {
    params: { seriesId: 1 },
    body: { title: 'Bitcoin: up or down?' },
    reply: { message: 'Series changed' },
  },
  handle: async ({ params, body, caller }, services: AdminServices) => {
    const issue = rebateIssue(body, services)
    if (issue !== null) return invalid(issue)
    const { name } = caller.operator
    const refused = await services.series.edit(params.seriesId, aboutOf(body), name)
    return refused === null ? { message: 'Series changed' } : refuse(refused)
  },
})

export const endSeries = route({
  method: 'DELETE',
  path: '/admin/series/:seriesId',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Ends a series: no more slots are created, and existing ones continue.',
  params: { seriesId: seriesId() },
  reply: message(),
  means: 'The series has ended.',
  rejects: ['OVERLOADED', 'SERIES_NOT_FOUND'],
  example: { params: { seriesId: 1 }, reply: { message: 'Series ended' } },
  handle: async ({ params, caller }, { series }: AdminServices) => {
    const refused = await series.end(params.seriesId, caller.operator.name)
    return refused === null ? { message: 'Series ended' } : refuse(refused)
  },
})

export const reportPrices = route({
  method: 'POST',
  path: '/admin/oracle/prices',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Reports oracle prices of assets at given times.',
  body: object({
    reports: means(
      list(
        object({
          symbol: means(symbol(), 'Symbol of the asset.'),
          price: means(price(), 'Price of one unit, above 0.'),
          atMs: means(
            optional(integer(0)),
            'When it was observed, in Unix milliseconds; now by default. At most one minute old.',
          ),
        }),
        1,
        LIMITS.reportsAtOnceMax,
      ),
      'The reports; they are applied in this order, until one is refused.',
    ),
  }),
  reply: message(),
  means: 'The reports are applied.',
  rejects: ['OVERLOADED', 'VALIDATION', 'SYMBOL_UNKNOWN', 'REPORT_NOT_TIMELY'],
  example: {
    body: { reports: [{ symbol: 'BTC', price: '95000.5' }] },
    reply: { message: 'Prices taken' },
  },
  handle: async ({ body }, { series, pipeline }: AdminServices) => {
    if (body.reports.some(({ price: text }) => priceE8Of(text) === 0)) {
      return invalid({ field: 'reports', message: 'every price must be above 0' })
    }
    const taken = body.reports.map(({ symbol: ofReport, price: text, atMs }) =>
      series.report(ofReport, atMs ?? pipeline.sequencer.nowMs(), priceE8Of(text)),
    )
    const refused = (await Promise.all(taken)).find((each) => each !== null)
    return refused === undefined || refused === null ? { message: 'Prices taken' } : refuse(refused)
  },
})
