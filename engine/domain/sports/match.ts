import type { FixtureId, MarketId } from '../ids.ts'
import type { TimeMs } from '../units.ts'

// Matches of sports and esports, the markets that are about them, and their scores (rules §12.8).

export const SPORT_TYPES = ['football', 'tennis', 'cricket', 'esports'] as const
export type SportType = (typeof SPORT_TYPES)[number]

/** What a market of an esports match is about. */
export const PROP_TYPES = ['map_winner', 'map_handicap', 'total_maps'] as const
export type PropType = (typeof PROP_TYPES)[number]

/** Where a match stands, in the order of lists. The first event of its score begins it. */
export const MATCH_PHASES = ['live', 'upcoming', 'finished'] as const
export type MatchPhase = (typeof MATCH_PHASES)[number]

export interface Team {
  readonly name: string
  /** Address of a picture; null for none. */
  readonly logo: string | null
}

export interface MatchMarket {
  readonly marketId: MarketId
  readonly slug: string
  readonly propType: PropType | null
}

/** A match as an operator puts it. */
export interface Match {
  /** Names it in paths and frames. */
  readonly slug: string
  readonly title: string
  readonly sportType: SportType
  /** The game of an esports match; null for none. */
  readonly esportType: string | null
  /** Number of the match where its scores come from. */
  readonly fixtureId: FixtureId
  readonly startsMs: TimeMs
  readonly home: Team
  readonly away: Team
  readonly markets: readonly MatchMarket[]
}

/** One event of a match: the whole score from then on. */
export interface ScoreEvent {
  readonly eventId: string
  /** Rises with each event of a match. */
  readonly sequence: number
  readonly isFinished: boolean
  /** Only readers need the rest: no rule reads it, and text is the same on every thread. */
  readonly scoreJson: string
}

/** The newest score of a match. */
export interface Score extends Omit<ScoreEvent, 'eventId'> {
  readonly scoredMs: TimeMs
}

export function phaseOf(score: Pick<Score, 'isFinished'> | null): MatchPhase {
  if (score === null) return 'upcoming'
  return score.isFinished ? 'finished' : 'live'
}
