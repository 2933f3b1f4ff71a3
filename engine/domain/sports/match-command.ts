import type { Match, ScoreEvent } from './match.ts'

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
