// Schemas of matches, shared by several calls (rules §12.8).

import { LIMITS } from '../../../engine/domain/limits.ts'
import {
  MATCH_PHASES,
  type Match,
  PROP_TYPES,
  phaseOf,
  SPORT_TYPES,
} from '../../../engine/domain/sports/match.ts'
import { SPORT_LIMITS } from '../../../engine/domain/sports/sport-limits.ts'
import type { ShownMatch } from '../../../persistence/query/read/markets/matches.ts'
import { isoTime, slug } from '../../edge/http/schema/fields.ts'
import { means, nullable, oneOf, pattern, text } from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, schemaOf } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { MARKET_EXAMPLE } from '../examples.ts'
import { esportScore, fixtureId, scoreView, sportScore } from './score-schema.ts'

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
