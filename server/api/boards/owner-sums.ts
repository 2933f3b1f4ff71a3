// All-time totals of one account: its accuracy and its volume (rules §9.4, §9.5).

import { accuracy, tradedVolume } from '../../../persistence/query/read/boards/owner-sums.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, lasting, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { account, isoTime } from '../../edge/http/schema/fields.ts'
import { integer, means, number, pattern } from '../../edge/http/schema/scalars.ts'
import { anyOf, object, schemaOf } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { Refusal, refuse } from '../../messages/refusal.ts'
import { profileOf } from '../accounts/account-profile.ts'
import { ACCOUNT } from '../examples.ts'
import { publicRequester } from '../reads/private-reads.ts'
import { wholeUnitsOf } from '../whole-units.ts'
import type { BoardServices } from './services.ts'

const CACHED_SEC = 15
const RATIO_DECIMALS = 4

const accuracyShape = () =>
  anyOf(
    object({
      account: account(),
      marketsWon: means(integer(0), 'Markets in which the account made a profit.'),
      marketsLost: means(integer(0), 'Markets in which it made a loss.'),
      totalResolved: means(integer(1), 'Won plus lost markets.'),
      accuracy: means(number(0, 1), 'Fraction of these that it won, with four decimals.'),
      since: means(isoTime(), 'When the first of these markets was paid out.'),
    }),
    schemaOf<null>({ type: 'null' }),
  )

export const accountAccuracy = route({
  method: 'GET',
  path: '/user-stats/accuracy/:account',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(CACHED_SEC)),
  about: 'Returns the number of resolved markets that an account won and lost.',
  params: { account: account() },
  reply: accuracyShape(),
  means: 'The counts of the account; null before the first counted market.',
  rejects: ['VALIDATION', 'ACCURACY_OFF', 'READ_TIMEOUT'],
  example: {
    params: { account: ACCOUNT },
    reply: {
      account: ACCOUNT,
      marketsWon: 2,
      marketsLost: 1,
      totalResolved: 3,
      accuracy: 0.6667,
      since: '2026-01-01T00:00:00.000Z',
    },
  },
  handle: async ({ params, call }, services: BoardServices) => {
    const { reads, settings, pipeline } = services
    if (!settings.accuracy) return refuse('ACCURACY_OFF')
    const owner = profileOf(params.account, services)
    if (owner instanceof Refusal) return owner
    const found = await reads.read(accuracy, owner, publicRequester(call))
    if (found === undefined) return refuse('READ_TIMEOUT')
    if (found === null) return bytes('null')
    const { wonCount: marketsWon, lostCount: marketsLost, sinceMs } = found
    const totalResolved = marketsWon + marketsLost
    return {
      account: pipeline.clearing.accounts.accountOf(owner) ?? params.account,
      marketsWon,
      marketsLost,
      totalResolved,
      accuracy: Number((marketsWon / totalResolved).toFixed(RATIO_DECIMALS)),
      since: isoText(sinceMs),
    }
  },
})

export const accountVolume = route({
  method: 'GET',
  path: '/portfolio/:account/traded-volume',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the all-time volume of an account, as taker and as maker.',
  params: { account: account() },
  reply: object({
    data: means(
      pattern('^(0|[1-9][0-9]*)$', 'Whole collateral as decimal text.'),
      'Collateral of all its trades before fees, rounded down to whole units.',
    ),
  }),
  means: 'The volume of the account; 0 if it never traded.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: { params: { account: ACCOUNT }, reply: { data: '9702853' } },
  handle: async ({ params, call }, services: BoardServices) => {
    const owner = profileOf(params.account, services)
    if (owner instanceof Refusal) return owner
    const volumeRaw = await services.reads.read(tradedVolume, owner, publicRequester(call))
    if (volumeRaw === undefined) return refuse('READ_TIMEOUT')
    return { data: String(wholeUnitsOf(volumeRaw)) }
  },
})
