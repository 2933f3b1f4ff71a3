// Public reads of matches and their scores (rules §12.8).

import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import {
  MATCH_PHASES,
  type Match,
  PROP_TYPES,
  phaseOf,
  type Score,
  SPORT_TYPES,
  type SportType,
} from '../../../engine/domain/sports/match.ts'
import { SPORT_LIMITS } from '../../../engine/domain/sports/sport-limits.ts'
import type {
  MatchesParams,
  MatchPlace,
  ShownMatch,
} from '../../../persistence/query/read/markets/matches.ts'
import { matchOrders } from '../../../persistence/query/read/orders/match-orders.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { invalidCursor } from '../../edge/http/cursor.ts'
import { route } from '../../edge/http/route.ts'
import { isoTime, slug } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  firstShown,
  integer,
  line,
  means,
  named,
  nullable,
  oneOf,
  pattern,
  shownWith,
  text,
} from '../../edge/http/schema/scalars.ts'
import {
  anyOf,
  compile,
  type Fields,
  type Infer,
  list,
  object,
  optional,
  type Schema,
  schemaOf,
} from '../../edge/http/schema/schema.ts'
import { userOrderView } from '../../exchange/read-model/views.ts'
import type { Call } from '../../messages/call.ts'
import { isoText } from '../../messages/iso-text.ts'
import { type Issue, refuse } from '../../messages/refusal.ts'
import { MARKET_EXAMPLE, ORDER_ID } from '../examples.ts'
import {
  batchCancelReply,
  cancelAllInSlices,
  MULTI_STATUS,
  refuseCancel,
  SOME_CANCELED,
} from '../orders/cancel-replies.ts'
import {
  CANCELED_EXAMPLE,
  statusNumbers,
  USER_ORDER_EXAMPLE,
  userOrder,
  userOrderQuery,
} from '../orders/order-shapes.ts'
import { publicRequester, requesterOf } from '../reads/private-reads.ts'
import type { SportServices } from './services.ts'

// Scores: the event fields of each sport, and the published scores. A score is stored as JSON text
// in commands, and is parsed here.

const { pointsMax, minutesMax, wicketsMax, oversMax, ballsPerOverMax, gamesMax } = SPORT_LIMITS
const SHORT_STATUS_MAX = 16

const points = () => integer(0, pointsMax)
const minutes = () => integer(0, minutesMax)
const pair = () =>
  object({
    home: means(points(), 'Points of the home side.'),
    away: means(points(), 'Points of the away side.'),
  })
const overRuns = () => anyOf(points(), list(points(), 0, ballsPerOverMax))

export const fixtureId = () => means(integer(1), 'Id of the match at the source of its scores.')
const isFinished = () => means(boolean(), 'Whether the match has ended.')
const sport = <const S extends SportType>(...sports: readonly S[]) =>
  means(oneOf(...sports), 'The sport of the match.')

/** The score fields of football and tennis, besides those of every score. */
const fieldContent = {
  sportType: sport('football', 'tennis'),
  homeScore: means(nullable(points()), 'Goals or sets of the home side; null before the first.'),
  awayScore: means(nullable(points()), 'Goals or sets of the away side; null before the first.'),
  elapsedMinutes: means(nullable(minutes()), 'Minutes played; null when not counted.'),
  extraMinutes: means(nullable(minutes()), 'Minutes of stoppage time; null for none.'),
  statusShort: means(text(), 'Short status of the match, such as 1H; may be empty.'),
  status: means(text(), 'Status of the match; may be empty.'),
  setScores: means(optional(list(pair())), 'Games of each set; absent if unknown.'),
}

const cricketContent = {
  sportType: sport('cricket'),
  homeScore: means(nullable(points()), 'Same as homeRuns; null if unknown.'),
  awayScore: means(nullable(points()), 'Same as awayRuns; null if unknown.'),
  elapsedMinutes: means(nullable(minutes()), 'Always null in cricket.'),
  extraMinutes: means(nullable(minutes()), 'Always null here as well.'),
  statusShort: means(text(), 'Short status of the match; may be empty.'),
  status: means(text(), 'Status of the match; may be empty.'),
  homeRuns: means(points(), 'Runs of the home side.'),
  homeWickets: means(integer(0, wicketsMax), 'Wickets lost by the home side.'),
  awayRuns: means(points(), 'Runs of the away side.'),
  awayWickets: means(integer(0, wicketsMax), 'Wickets lost by the away side.'),
  overRuns: means(overRuns(), 'Runs of the current over: in total, or ball by ball.'),
  battingTeam: means(optional(oneOf('home', 'away')), 'The batting side; absent for none.'),
  currentOver: means(optional(integer(0, oversMax)), 'Number of the over; absent for none.'),
  ballInOver: means(
    optional(integer(0, ballsPerOverMax)),
    'Number of the ball in the over; absent if unknown.',
  ),
}

const esportContent = {
  status: means(text(), 'Status of the match; may be empty.'),
  matchScore: means(pair(), 'Maps won by each side.'),
  gameScores: means(optional(list(pair())), 'Rounds of each map; absent if unknown.'),
}

const fieldScore = () =>
  object({ fixtureId: fixtureId(), isFinished: isFinished(), ...fieldContent })
const cricketScore = () =>
  object({ fixtureId: fixtureId(), isFinished: isFinished(), ...cricketContent })

/** A published score of football, tennis or cricket. */
export const sportScore = () => anyOf(fieldScore(), cricketScore())

/** A published score of an esports match. In Java, its sport distinguishes it from the others. */
export const esportScore = () =>
  object({
    matchId: means(integer(1), 'Id of the match at the source of its scores.'),
    sportType: sport('esports'),
    isFinished: isFinished(),
    ...esportContent,
  })

/** One event as an operator sends it: the full score from then on. */
export function scoreEvent() {
  const whole = object({
    eventId: means(
      text(SPORT_LIMITS.eventIdCharactersMax, 1),
      'Id of the event. Repeating an event changes nothing.',
    ),
    fixtureId: fixtureId(),
    sequence: means(integer(1), 'Number of the event; it increases within a match.'),
    sportType: means(oneOf(...SPORT_TYPES), "The sport, which determines the event's fields."),
    isFinished: means(optional(boolean()), 'Whether the match has ended; false by default.'),
    status: means(
      optional(line(SPORT_LIMITS.statusCharactersMax)),
      'Status of the match; empty by default.',
    ),
    statusShort: means(
      optional(line(SHORT_STATUS_MAX)),
      'Short status of the match; empty by default. Not for esports.',
    ),
    homeScore: means(optional(nullable(points())), 'Goals or sets of the home side.'),
    awayScore: means(optional(nullable(points())), 'Goals or sets of the away side.'),
    elapsedMinutes: means(optional(nullable(minutes())), 'Minutes played so far.'),
    extraMinutes: means(optional(nullable(minutes())), 'Minutes of stoppage time.'),
    setScores: means(optional(list(pair(), 0, gamesMax)), 'Games of each set; only for tennis.'),
    homeRuns: means(optional(points()), 'Runs of the home side; 0 by default. Only for cricket.'),
    homeWickets: means(
      optional(integer(0, wicketsMax)),
      'Wickets lost by the home side; 0 by default. Only for cricket.',
    ),
    awayRuns: means(optional(points()), 'Runs of the away side; 0 by default. Only for cricket.'),
    awayWickets: means(
      optional(integer(0, wicketsMax)),
      'Wickets lost by the away side; 0 by default. Only for cricket.',
    ),
    overRuns: means(
      optional(firstShown(points(), list(points(), 0, ballsPerOverMax))),
      'Runs of the current over: in total, or ball by ball; 0 by default. Only for cricket.',
    ),
    battingTeam: means(optional(oneOf('home', 'away')), 'The batting side; only for cricket.'),
    currentOver: means(optional(integer(0, oversMax)), 'Number of the over; only for cricket.'),
    ballInOver: means(
      optional(integer(0, ballsPerOverMax)),
      'Number of the ball in the over; only for cricket.',
    ),
    matchScore: means(optional(pair()), 'Maps won by each side; required for esports.'),
    gameScores: means(optional(list(pair(), 0, gamesMax)), 'Rounds of each map; only for esports.'),
  })
  return ofOneSport(whole)
}

/** Documents have a schema per sport: the fields of other sports are refused. */
function ofOneSport<S extends { readonly properties: Fields }>(whole: S & Schema): S {
  const oneOf = SPORT_TYPES.map((sportType) => {
    const known = [...OF_ALL, ...FIELDS[sportType]]
    const fields = Object.entries(whole.properties).filter(([name]) => known.includes(name))
    const shape = object({ ...Object.fromEntries(fields), sportType: sport(sportType) })
    const more = sportType === 'esports' ? ['matchScore'] : []
    const needed = { ...shape, required: [...(shape.required ?? []), ...more] }
    return named(`${sportType[0].toUpperCase()}${sportType.slice(1)}ScoreEvent`, needed)
  })
  const hidden = { type: undefined, required: undefined, properties: undefined }
  return shownWith(whole, { ...hidden, additionalProperties: undefined, oneOf })
}

export type ScoreEventBody = Infer<ReturnType<typeof scoreEvent>>

const OF_ALL = ['eventId', 'fixtureId', 'sequence', 'sportType', 'isFinished', 'status']
const OF_FIELD = ['statusShort', 'homeScore', 'awayScore', 'elapsedMinutes', 'extraMinutes']
const FIELDS: Readonly<Record<SportType, readonly string[]>> = {
  football: OF_FIELD,
  tennis: [...OF_FIELD, 'setScores'],
  cricket: [
    'statusShort',
    'homeRuns',
    'homeWickets',
    'awayRuns',
    'awayWickets',
    'overRuns',
    'battingTeam',
    'currentOver',
    'ballInOver',
  ],
  esports: ['matchScore', 'gameScores'],
}

/** Why an event does not fit its sport, or null. */
export function eventIssue(event: ScoreEventBody): Issue | null {
  const { sportType, matchScore } = event
  const known = new Set([...OF_ALL, ...FIELDS[sportType]])
  const wrong = Object.entries(event).find(([name, value]) => {
    return value !== undefined && !known.has(name)
  })
  if (wrong !== undefined) return { field: wrong[0], message: `is not a field of ${sportType}` }
  if (sportType !== 'esports' || matchScore !== undefined) return null
  return { field: 'matchScore', message: 'is required' }
}

/** The published form of the event, as JSON. Absent fields are omitted. */
export function scoreJsonOf(event: ScoreEventBody): string {
  const { sportType, status = '', statusShort = '', matchScore, gameScores } = event
  if (sportType === 'esports') return JSON.stringify({ status, matchScore, gameScores })
  const { elapsedMinutes = null, extraMinutes = null } = event
  const shared = { sportType, elapsedMinutes, extraMinutes, statusShort, status }
  if (sportType !== 'cricket') {
    const { homeScore = null, awayScore = null, setScores } = event
    return JSON.stringify({ ...shared, homeScore, awayScore, setScores })
  }
  const { homeRuns = 0, homeWickets = 0, awayRuns = 0, awayWickets = 0, overRuns: over = 0 } = event
  const { battingTeam, currentOver, ballInOver } = event
  // A side that has not batted has no score, and 0 would be one.
  const { homeRuns: homeScore = null, awayRuns: awayScore = null } = event
  const runs = { homeScore, awayScore, homeRuns, awayRuns, overRuns: over }
  const wickets = { homeWickets, awayWickets }
  const now = { battingTeam, currentOver, ballInOver }
  return JSON.stringify({ ...shared, ...runs, ...wickets, ...now })
}

const ofSport = compile(anyOf(object(fieldContent), object(cricketContent)))
const ofEsport = compile(object(esportContent))

type ReportedMatch = Pick<Match, 'sportType' | 'fixtureId'>

/** A published score of football, tennis or cricket. */
function sportScoreView({ fixtureId: id }: ReportedMatch, score: Score) {
  const content: unknown = JSON.parse(score.scoreJson)
  assert(ofSport.holds(content), 'a score was checked when it was received')
  return { fixtureId: id, isFinished: score.isFinished, ...content }
}

/** A published score of an esports match. */
function esportScoreView({ fixtureId: matchId }: ReportedMatch, score: Score) {
  const content: unknown = JSON.parse(score.scoreJson)
  assert(ofEsport.holds(content), 'an esports score was checked when it was received')
  return { matchId, sportType: 'esports' as const, isFinished: score.isFinished, ...content }
}

/** A published score. */
export function scoreView(match: ReportedMatch, score: Score) {
  return match.sportType === 'esports'
    ? esportScoreView(match, score)
    : sportScoreView(match, score)
}

export const matchSlug = () => means(slug(), 'Slug of the match in paths and in score frames.')

export function esportType() {
  const most = SPORT_LIMITS.esportTypeCharactersMax
  const form = `1 to ${most} lower-case letters, digits and dashes, a dash not first.`
  return pattern(`^[a-z0-9][a-z0-9-]{0,${most - 1}}$`, form)
}

const team = () =>
  object({
    name: means(text(), 'Name of the side.'),
    logo: means(nullable(text()), 'Address of its picture; null for none.'),
  })

/** The operator's description of a match. */
export function matchFields() {
  return {
    slug: matchSlug(),
    title: means(text(LIMITS.titleCharactersMax), 'Display title of the match.'),
    sportType: means(oneOf(...SPORT_TYPES), 'The sport; esports for any game.'),
    esportType: means(nullable(esportType()), 'The game of an esports match; null for none.'),
    fixtureId: fixtureId(),
    startsAt: means(isoTime(), 'Scheduled start time.'),
    home: means(team(), 'The home side, or the first of two.'),
    away: means(team(), 'The away side, or the second of two.'),
    markets: means(
      list(
        object({
          slug: slug(),
          esportsPropType: means(
            nullable(oneOf(...PROP_TYPES)),
            'What an esports market is about; null for the match itself.',
          ),
        }),
      ),
      'Markets of the match, including those that have ended.',
    ),
  }
}

export function shownMatch() {
  return object({
    ...matchFields(),
    status: means(
      oneOf(...MATCH_PHASES),
      'Phase of the match: its first score event starts it, and the last one ends it.',
    ),
    score: means(
      anyOf(sportScore(), esportScore(), schemaOf<null>({ type: 'null' })),
      'Its newest score; null before the first event.',
    ),
  })
}

export function aboutView(match: Match) {
  const { startsMs, markets, slug: name, title, sportType, fixtureId: id, home, away } = match
  return {
    slug: name,
    title,
    sportType,
    esportType: match.esportType,
    fixtureId: id,
    home,
    away,
    startsAt: isoText(startsMs),
    markets: markets.map(({ slug: ofMarket, propType }) => {
      return { slug: ofMarket, esportsPropType: propType }
    }),
  }
}

export function matchView({ match, score }: ShownMatch) {
  const shown = score === null ? null : scoreView(match, score)
  return { ...aboutView(match), status: phaseOf(score), score: shown }
}

// One match, shared by the examples of all sports routes.

const STARTS_AT = '2026-03-01T12:00:00.000Z'

export const MATCH_EXAMPLE = {
  slug: 'reds-blues',
  title: 'Reds against Blues',
  sportType: 'football' as const,
  esportType: null,
  fixtureId: 1_204_711,
  startsAt: STARTS_AT,
  home: { name: 'Reds', logo: null },
  away: { name: 'Blues', logo: null },
  markets: [{ slug: MARKET_EXAMPLE.slug, esportsPropType: null }],
}

export const SCORED_EXAMPLE = {
  ...MATCH_EXAMPLE,
  status: 'live' as const,
  score: {
    fixtureId: MATCH_EXAMPLE.fixtureId,
    isFinished: false,
    sportType: 'football' as const,
    homeScore: 1,
    awayScore: 0,
    elapsedMinutes: 34,
    extraMinutes: null,
    statusShort: '1H',
    status: 'First half',
  },
}

const DEFAULT_LIMIT = 50
const CURSOR_CHARACTERS_MAX = 256
const CURSOR = /^(live|upcoming|finished)[.](0|[1-9][0-9]{0,15})[.]([a-z0-9][a-z0-9-]*)$/
/** Clients that poll every second are mostly answered by a cache. */
const KEPT_SEC = 3

function cursorOf({ phase, startsMs, slug }: MatchPlace): string {
  return Buffer.from(`${phase}.${startsMs}.${slug}`).toString('base64url')
}

/** The place in a cursor; undefined for an invalid one. */
function placeIn(cursor: string): MatchPlace | null | undefined {
  if (cursor === '') return null
  const stated = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())
  const phase = MATCH_PHASES.find((each) => each === stated?.[1])
  if (stated === null || phase === undefined) return undefined
  const place = { phase, startsMs: Number(stated[2]), slug: stated[3] }
  return cursorOf(place) === cursor ? place : undefined
}

const paging = {
  limit: means(
    defaulted(integer(1, SPORT_LIMITS.listLimitMax), DEFAULT_LIMIT),
    'Maximum matches per page of the list.',
  ),
  cursor: means(
    optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
    'nextCursor of the previous page; absent or empty for the first page.',
  ),
}
const sportType = () =>
  means(optional(oneOf(...SPORT_TYPES)), 'Only of this sport; absent for all.')

const page = () =>
  object({
    data: means(list(shownMatch()), 'The matches of this page.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
  })
const PAGE_EXAMPLE = { data: [SCORED_EXAMPLE], nextCursor: null }

interface Requested extends Pick<MatchesParams, 'phases' | 'sportType' | 'esportType' | 'limit'> {
  readonly cursor: string | undefined
}

async function pageOf({ cursor, ...requested }: Requested, call: Call, { matches }: SportServices) {
  const after = placeIn(cursor ?? '')
  if (after === undefined) return invalidCursor()
  const { limit } = requested
  // Reads one extra match to know whether there is another page.
  const found = await matches.page({ ...requested, after, limit: limit + 1 }, publicRequester(call))
  if (found === undefined) return refuse('READ_TIMEOUT')
  const data = found.slice(0, limit).map(matchView)
  const last = found.length > limit ? data.at(-1) : undefined
  if (last === undefined) return { data, nextCursor: null }
  const place = { phase: last.status, startsMs: Date.parse(last.startsAt), slug: last.slug }
  return { data, nextCursor: cursorOf(place) }
}

export const liveMatches = route({
  method: 'GET',
  path: '/sports/live',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(KEPT_SEC)),
  about: 'Lists matches in play with their scores, earliest start first, by cursor.',
  query: { sportType: sportType(), ...paging },
  reply: page(),
  means: 'A page of the matches that have a score and are not finished.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: { query: { sportType: 'football', limit: DEFAULT_LIMIT }, reply: PAGE_EXAMPLE },
  handle: ({ query, call }, services: SportServices) => {
    const { sportType: sport = null, limit, cursor } = query
    const requested = {
      phases: ['live'],
      sportType: sport,
      esportType: null,
      limit,
      cursor,
    } as const
    return pageOf(requested, call, services)
  },
})

export const sportEvents = route({
  method: 'GET',
  path: '/sports/events',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(KEPT_SEC)),
  about: 'Lists sports and esports matches: live ones, then upcoming ones, then finished ones.',
  query: {
    sportType: sportType(),
    esportType: means(optional(esportType()), 'Only this esports game; absent for all.'),
    status: means(optional(oneOf(...MATCH_PHASES)), 'Only matches in this phase; absent for all.'),
    ...paging,
  },
  reply: page(),
  means: 'A page of the matches, each with its markets.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: { query: { status: 'live', limit: DEFAULT_LIMIT }, reply: PAGE_EXAMPLE },
  handle: ({ query, call }, services: SportServices) => {
    const { sportType: sport = null, esportType: game = null, status, limit, cursor } = query
    const phases = status === undefined ? MATCH_PHASES : [status]
    return pageOf({ phases, sportType: sport, esportType: game, limit, cursor }, call, services)
  },
})

// The orders of a profile in all markets of a match (rules §4.8, §12.4).

const params = { slug: means(slug(), 'Slug of the match, or of one of its markets.') }

export const ordersOfMatch = route({
  method: 'GET',
  path: '/sports-markets/:slug/user-orders',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  rateClass: 'private',
  about: "Lists the caller's orders in all markets of a match, newest first; live ones by default.",
  params,
  query: userOrderQuery(),
  reply: list(userOrder()),
  means: 'The orders of all its markets together; an empty list if there are none.',
  rejects: ['MATCH_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: MATCH_EXAMPLE.slug }, reply: [USER_ORDER_EXAMPLE] },
  handle: async (
    { params: { slug: name }, query, caller, owner, call },
    services: SportServices,
  ) => {
    const { reads, pipeline, archive, matches } = services
    const requester = requesterOf({ caller, call })
    const match = await matches.named(name, requester)
    if (match === undefined) return refuse('READ_TIMEOUT')
    if (match === null) return refuse('MATCH_NOT_FOUND')
    const request = {
      accountId: owner,
      marketIds: match.markets.map(({ marketId }) => marketId),
      statuses: statusNumbers(query.statuses),
      limit: query.limit ?? LIMITS.userOrdersLimitMax,
    }
    const rows = await reads.read(matchOrders, request, requester)
    if (rows === undefined) return refuse('READ_TIMEOUT')
    const markets = await archive.byIds(
      rows.map(({ marketId }) => marketId),
      requester,
    )
    if (markets === undefined) return refuse('READ_TIMEOUT')
    return rows.flatMap((row) => {
      const published = markets.get(row.marketId)
      return published === undefined ? [] : userOrderView(row, published, pipeline.ids)
    })
  },
})

export const cancelInMatch = route({
  method: 'DELETE',
  path: '/sports-markets/:slug/user-orders',
  auth: hmac('trading').forSubAccounts(),
  rateClass: 'trade',
  bulkhead: 'frees',
  about: "Cancels all of the caller's open orders in all markets of a match.",
  params,
  others: { [MULTI_STATUS]: SOME_CANCELED },
  reply: batchCancelReply(),
  means: 'No order that the caller had in its markets when the call arrived is open.',
  rejects: ['OVERLOADED', 'TRADING_DISABLED', 'MATCH_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: MATCH_EXAMPLE.slug },
    reply: {
      message: 'Orders canceled successfully',
      canceled: [ORDER_ID],
      orders: [CANCELED_EXAMPLE],
      failed: [],
    },
  },
  handle: async ({ params: { slug: name }, owner, caller, call }, services: SportServices) => {
    const { everywhere, pipeline, matches } = services
    const match = await matches.named(name, requesterOf({ caller, call }))
    if (match === undefined) return refuse('READ_TIMEOUT')
    if (match === null) return refuse('MATCH_NOT_FOUND')
    const marketIds = match.markets.map(({ marketId }) => marketId)
    const outcome = await everywhere.run(owner, marketIds)
    if (outcome instanceof Reject) return refuseCancel(outcome, pipeline)
    return cancelAllInSlices(outcome, services, requesterOf({ caller, call }))
  },
})
