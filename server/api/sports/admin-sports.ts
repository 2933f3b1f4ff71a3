// The operator's calls on matches and their scores.

import type { DecidedScores } from '../../../engine/core/decide/matches.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { PROP_TYPES, SPORT_TYPES } from '../../../engine/domain/sports/match.ts'
import { SPORT_LIMITS } from '../../../engine/domain/sports/sport-limits.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { slug } from '../../edge/http/schema/fields.ts'
import {
  firstShown,
  integer,
  line,
  means,
  nullable,
  oneOf,
  text,
} from '../../edge/http/schema/scalars.ts'
import { type Infer, list, object, optional } from '../../edge/http/schema/schema.ts'
import { type Issue, invalid, refuse, refusedOr } from '../../messages/refusal.ts'
import type { SportServices } from './services.ts'
import {
  aboutView,
  esportType,
  eventIssue,
  fixtureId,
  MATCH_EXAMPLE,
  matchFields,
  matchSlug,
  scoreEvent,
  scoreJsonOf,
} from './sports.ts'

/** The last instant whose ISO 8601 text has a four-digit year. Replies cannot print a later one. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const team = () =>
  object({
    name: means(line(SPORT_LIMITS.teamNameCharactersMax, 1), 'Name of the side.'),
    logo: means(
      optional(nullable(line(SPORT_LIMITS.logoCharactersMax, 1))),
      'Address of its picture; none by default.',
    ),
  })

const matchBody = object({
  title: means(line(LIMITS.titleCharactersMax, 1), 'Display title of the match.'),
  sportType: means(oneOf(...SPORT_TYPES), 'The sport; esports for any game.'),
  esportType: means(
    optional(nullable(esportType())),
    'The game of an esports match; none by default.',
  ),
  fixtureId: fixtureId(),
  startsAt: means(
    firstShown(text(40), integer(0, LAST_MS)),
    'Scheduled start: ISO 8601 text or Unix milliseconds.',
  ),
  home: means(team(), 'The home side, or the first of two.'),
  away: means(team(), 'The away side, or the second of two.'),
  markets: means(
    list(
      object({
        slug: slug(),
        esportsPropType: means(
          optional(nullable(oneOf(...PROP_TYPES))),
          'What an esports market is about; the match itself by default.',
        ),
      }),
      1,
      SPORT_LIMITS.marketsPerMatchMax,
    ),
    'Trading markets of the match; for a group, its individual markets.',
  ),
})

type MatchBody = Infer<typeof matchBody>

function startsMsOf({ startsAt }: MatchBody): number {
  return typeof startsAt === 'number' ? startsAt : Date.parse(startsAt)
}

function matchIssue(body: MatchBody): Issue | null {
  const startsMs = startsMsOf(body)
  if (!(startsMs >= 0 && startsMs <= LAST_MS)) {
    return { field: 'startsAt', message: 'must be a valid time' }
  }
  if (body.sportType === 'esports') return null
  if ((body.esportType ?? null) !== null) {
    return { field: 'esportType', message: 'is only allowed for an esports match' }
  }
  const index = body.markets.findIndex(({ esportsPropType = null }) => esportsPropType !== null)
  if (index < 0) return null
  const message = 'is only allowed for an esports match'
  return { field: `markets.${index}.esportsPropType`, message }
}

function requestOf(name: string, body: MatchBody) {
  const { title, sportType, fixtureId: id, home, away, markets } = body
  return {
    slug: name,
    title,
    sportType,
    esportType: body.esportType ?? null,
    fixtureId: id,
    startsMs: startsMsOf(body),
    home: { name: home.name, logo: home.logo ?? null },
    away: { name: away.name, logo: away.logo ?? null },
    markets: markets.map(({ slug: ofMarket, esportsPropType = null }) => {
      return { slug: ofMarket, propType: esportsPropType }
    }),
  }
}

const { slug: _ofPath, markets: MARKETS, ...ABOUT_EXAMPLE } = MATCH_EXAMPLE

export const putMatch = route({
  method: 'PUT',
  path: '/admin/sports/matches/:slug',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Creates or replaces a sports or esports match and its markets; keeps its score.',
  params: { slug: matchSlug() },
  body: matchBody,
  reply: object(matchFields()),
  means: 'The match is stored as sent.',
  links: {
    remove: {
      to: 'DELETE /admin/sports/matches/:slug',
      about: 'Removes the match.',
      params: { slug: '/slug' },
    },
  },
  rejects: [
    ...(['OVERLOADED', 'VALIDATION', 'MARKET_NOT_FOUND', 'MATCH_LIMIT'] as const),
    ...(['MATCH_FIXTURE_TAKEN', 'MATCH_SCORED', 'MATCH_MARKET_INVALID'] as const),
    'MATCH_MARKET_TAKEN',
  ],
  example: {
    params: { slug: MATCH_EXAMPLE.slug },
    body: { ...ABOUT_EXAMPLE, markets: MARKETS },
    reply: MATCH_EXAMPLE,
  },
  handle: async ({ params, body, caller }, { matches }: SportServices) => {
    const issue = matchIssue(body)
    if (issue !== null) return invalid(issue)
    return refusedOr(
      await matches.put(requestOf(params.slug, body), caller.operator.name),
      aboutView,
    )
  },
})

export const removeMatch = route({
  method: 'DELETE',
  path: '/admin/sports/matches/:slug',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Removes a match with its score; its markets continue.',
  params: { slug: matchSlug() },
  reply: object({ slug: matchSlug() }),
  means: 'The match is removed, and its markets can be used in another one.',
  rejects: ['OVERLOADED', 'MATCH_NOT_FOUND'],
  example: { params: { slug: MATCH_EXAMPLE.slug }, reply: { slug: MATCH_EXAMPLE.slug } },
  handle: async ({ params, caller }, { matches }: SportServices) => {
    const refused = await matches.remove(params.slug, caller.operator.name)
    return refused === null ? { slug: params.slug } : refuse(refused)
  },
})

const count = () => integer(0, SPORT_LIMITS.eventsPerCallMax)

function countsOf({ verdicts }: DecidedScores, events: readonly { readonly fixtureId: number }[]) {
  const of = (verdict: (typeof verdicts)[number]) => verdicts.filter((each) => each === verdict)
  const unknown = events.filter((_event, index) => verdicts[index] === 'unknown')
  return {
    applied: of('applied').length,
    repeated: of('repeated').length,
    outdated: of('outdated').length,
    unknownFixtures: [...new Set(unknown.map((event) => event.fixtureId))],
  }
}

export const publishScores = route({
  method: 'POST',
  path: '/admin/sports/scores',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Reports match events, each with the full score. Repeated events are ignored.',
  body: object({
    events: means(
      list(scoreEvent(), 1, SPORT_LIMITS.eventsPerCallMax),
      'The events; either all of them are applied or, on a refusal, none.',
    ),
  }),
  reply: object({
    applied: means(count(), 'Events that changed a score.'),
    repeated: means(count(), 'Events with a known eventId; they change nothing.'),
    outdated: means(count(), 'Events whose sequence is not above the newest of their match.'),
    unknownFixtures: means(
      list(integer(1)),
      'Fixtures of events without a match; those events are ignored.',
    ),
  }),
  means: 'The events are durable, and the scores are published.',
  rejects: ['OVERLOADED', 'VALIDATION', 'SCORE_OF_OTHER_SPORT'],
  example: {
    body: {
      events: [
        {
          eventId: 'goal-7',
          fixtureId: MATCH_EXAMPLE.fixtureId,
          sequence: 7,
          sportType: 'football',
          homeScore: 1,
          awayScore: 0,
          elapsedMinutes: 34,
          statusShort: '1H',
          status: 'First half',
        },
      ],
    },
    reply: { applied: 1, repeated: 0, outdated: 0, unknownFixtures: [] },
  },
  handle: async ({ body: { events } }, { matches }: SportServices) => {
    for (const [index, event] of events.entries()) {
      const issue = eventIssue(event)
      if (issue === null) continue
      return invalid({ ...issue, field: `events.${index}.${issue.field}` })
    }
    const reported = await matches.score(
      events.map((event) => {
        const { eventId, fixtureId: id, sequence, sportType, isFinished = false } = event
        return {
          eventId,
          fixtureId: id,
          sequence,
          sportType,
          isFinished,
          scoreJson: scoreJsonOf(event),
        }
      }),
    )
    return reported instanceof Reject ? refuse(reported) : countsOf(reported, events)
  },
})
