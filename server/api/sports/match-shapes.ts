// The shapes of matches that several calls share (rules §12.8).

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
import { means } from '../../edge/http/schema/meaning.ts'
import { nullable, oneOf, pattern, text } from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, schemaOf } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { esportScore, fixtureId, scoreView, sportScore } from './score-schema.ts'

export const matchSlug = () =>
  means(slug(), 'Slug of the match: its name in paths and in frames of scores.')

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

/** What an operator says of a match. */
export function matchFields() {
  return {
    slug: matchSlug(),
    title: means(text(LIMITS.titleCharactersMax), 'Title of the match to show.'),
    sportType: means(oneOf(...SPORT_TYPES), 'The sport; esports for any game.'),
    esportType: means(nullable(esportType()), 'The game of an esports match; null for none.'),
    fixtureId: fixtureId(),
    startsAt: means(isoTime(), 'When it is to start.'),
    home: means(team(), 'The home side, or the first of two.'),
    away: means(team(), 'The away side, or the second of two.'),
    markets: means(
      list(
        object({
          slug: slug(),
          esportsPropType: means(
            nullable(oneOf(...PROP_TYPES)),
            'What of an esports match the market is about; null for the match itself.',
          ),
        }),
      ),
      'Markets about the match, also those that are over.',
    ),
  }
}

export function shownMatch() {
  return object({
    ...matchFields(),
    status: means(
      oneOf(...MATCH_PHASES),
      'Where it stands: the first event of its score begins it, and the last one ends it.',
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
    ...{ slug: name, title, sportType, esportType: match.esportType, fixtureId: id, home, away },
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
