import type { FixtureId, MarketId } from '../ids.ts'
import type { TimeMs } from '../units.ts'

// Matches of sports and esports, their markets and their scores (rules §12.8).

export const SPORT_TYPES = ['football', 'tennis', 'cricket', 'esports'] as const
export type SportType = (typeof SPORT_TYPES)[number]

/** The subject of a market of an esports match. */
export const PROP_TYPES = ['map_winner', 'map_handicap', 'total_maps'] as const
export type PropType = (typeof PROP_TYPES)[number]

/** Phases of a match, in list order. The first score event makes a match live. */
export const MATCH_PHASES = ['live', 'upcoming', 'finished'] as const
export type MatchPhase = (typeof MATCH_PHASES)[number]

interface Team {
  readonly name: string
  /** URL of a picture; null = none. */
  readonly logo: string | null
}

export interface MatchMarket {
  readonly marketId: MarketId
  readonly slug: string
  readonly propType: PropType | null
}

/** A match as an operator defines it. */
export interface Match {
  /** Identifies the match in paths and frames. */
  readonly slug: string
  readonly title: string
  readonly sportType: SportType
  /** The game of an esports match; null = none. */
  readonly esportType: string | null
  /** The scores provider's number of the match. */
  readonly fixtureId: FixtureId
  readonly startsMs: TimeMs
  readonly home: Team
  readonly away: Team
  readonly markets: readonly MatchMarket[]
}

/** One event of a match, with the full score after it. */
export interface ScoreEvent {
  readonly eventId: string
  /** Increases with each event of a match. */
  readonly sequence: number
  readonly isFinished: boolean
  /** The data that no rule reads, as text that is identical on every thread. */
  readonly scoreJson: string
}

/** The latest score of a match. */
export interface Score extends Omit<ScoreEvent, 'eventId'> {
  readonly scoredMs: TimeMs
}

export function phaseOf(score: Pick<Score, 'isFinished'> | null): MatchPhase {
  if (score === null) return 'upcoming'
  return score.isFinished ? 'finished' : 'live'
}

/** The score of a match in memory after one event. */
export interface MatchScore extends ScoreEvent {
  readonly slug: string
}

export type MatchBody =
  /** Creates the match, or replaces the definition of the one with this slug. */
  | { kind: 'putMatch'; match: Match }
  | { kind: 'removeMatch'; slug: string }
  /** Events newer than the current scores of their matches, in order. */
  | { kind: 'scoreMatches'; scores: readonly MatchScore[] }
