// What everybody may hear of the scores of matches (rules §12.8).

import { type Infer, type Schema, schemaOf } from '../../http/schema/schema.ts'
import { esportScore, sportScore } from '../../services/sports/score-content.ts'
import { event } from './spoken.ts'

/** Scores by the slug of their match. */
function bySlug<S extends Schema>(score: S) {
  return schemaOf<Readonly<Record<string, Infer<S>>>>({
    type: 'object',
    additionalProperties: score,
  })
}

export const liveSportsUpdate = event({
  name: 'live_sports_update',
  about: 'Scores of matches of football, tennis and cricket, each by the slug of its match.',
  payload: bySlug(sportScore()),
  example: {
    'reds-blues': {
      ...{ fixtureId: 1_204_711, isFinished: false, sportType: 'football' as const },
      ...{ homeScore: 1, awayScore: 0, elapsedMinutes: 34, extraMinutes: null },
      ...{ statusShort: '1H', status: 'First half' },
    },
    'lions-tigers': {
      ...{ fixtureId: 88_014, isFinished: false, sportType: 'cricket' as const },
      ...{ homeScore: 142, awayScore: 0, elapsedMinutes: null, extraMinutes: null },
      ...{ statusShort: '1I', status: 'First innings' },
      ...{ homeRuns: 142, homeWickets: 3, awayRuns: 0, awayWickets: 0, overRuns: [1, 0, 4] },
      ...{ battingTeam: 'home' as const, currentOver: 18, ballInOver: 3 },
    },
  },
})

export const liveEsportsUpdate = event({
  name: 'live_esports_update',
  about: 'Scores of matches of esports, each by the slug of its match.',
  payload: bySlug(esportScore()),
  example: {
    'north-south': {
      ...{ matchId: 5012, isFinished: false, status: 'running' },
      ...{ matchScore: { home: 1, away: 0 }, gameScores: [{ home: 13, away: 9 }] },
    },
  },
})
