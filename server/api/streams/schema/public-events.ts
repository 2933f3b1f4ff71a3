// The public events of match scores and of offers (rules §8.5, §12.8).

import { type Infer, type Schema, schemaOf } from '../../../edge/http/schema/schema.ts'
import { offer } from '../../packs/offer-views.ts'
import { esportScore, sportScore } from '../../sports/score-schema.ts'
import { event } from './documented.ts'

/** Scores by the slug of their match. */
function bySlug<S extends Schema>(score: S) {
  return schemaOf<Readonly<Record<string, Infer<S>>>>({
    type: 'object',
    additionalProperties: score,
  })
}

export const liveSportsUpdate = event({
  name: 'live_sports_update',
  about: 'Scores of football, tennis and cricket matches, by match slug.',
  payload: bySlug(sportScore()),
  example: {
    'reds-blues': {
      fixtureId: 1_204_711,
      isFinished: false,
      sportType: 'football' as const,
      homeScore: 1,
      awayScore: 0,
      elapsedMinutes: 34,
      extraMinutes: null,
      statusShort: '1H',
      status: 'First half',
    },
    'lions-tigers': {
      fixtureId: 88_014,
      isFinished: false,
      sportType: 'cricket' as const,
      homeScore: 142,
      awayScore: 0,
      elapsedMinutes: null,
      extraMinutes: null,
      statusShort: '1I',
      status: 'First innings',
      homeRuns: 142,
      homeWickets: 3,
      awayRuns: 0,
      awayWickets: 0,
      overRuns: [1, 0, 4],
      battingTeam: 'home' as const,
      currentOver: 18,
      ballInOver: 3,
    },
  },
})

export const liveEsportsUpdate = event({
  name: 'live_esports_update',
  about: 'Scores of esports matches, by match slug.',
  payload: bySlug(esportScore()),
  example: {
    'north-south': {
      matchId: 5012,
      sportType: 'esports',
      isFinished: false,
      status: 'running',
      matchScore: { home: 1, away: 0 },
      gameScores: [{ home: 13, away: 9 }],
    },
  },
})

export const liveOffer = event({
  name: 'liveOffer',
  about: 'A pack offer that anyone may stake on until it ends.',
  payload: offer(),
  example: {
    id: '4700',
    legs: [
      { marketSlug: 'rain-tomorrow', title: 'Will it rain?', outcomeIndex: 0, price: 0.5 },
      { marketSlug: 'reds-win', title: 'Will the Reds win?', outcomeIndex: 1, price: 0.4 },
    ],
    stakeMax: '20000000',
    payout: '80000000',
    creator: { account: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A', username: 'ann' },
    expiresAt: '2026-01-01T00:01:00.000Z',
  },
})
