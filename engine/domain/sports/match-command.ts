import type { Match, ScoreEvent } from './match.ts'

/** What one event makes of the score of a match, which is in memory. */
export interface MatchScore extends ScoreEvent {
  readonly slug: string
}

export type MatchBody =
  /** Makes the match, or replaces what is said of the one with this slug. */
  | { kind: 'putMatch'; match: Match }
  | { kind: 'removeMatch'; slug: string }
  /** Events that are newer than what their matches show, in their order. */
  | { kind: 'scoreMatches'; scores: readonly MatchScore[] }
