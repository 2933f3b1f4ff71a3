// One match, shared by the examples of all sports routes.

import { MARKET_EXAMPLE } from '../examples.ts'

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
