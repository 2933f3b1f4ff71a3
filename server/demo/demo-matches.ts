// The matches of a demo, and their markets.

/** Matches in play; match-play.ts updates their scores. */
export const MATCHES = [
  {
    slug: 'reds-blues',
    title: 'The derby: Reds against Blues',
    sportType: 'football',
    fixtureId: 1,
    home: { name: 'Reds' },
    away: { name: 'Blues' },
    markets: [{ slug: 'home-team-wins' }, { slug: 'derby-draw' }],
  },
  {
    slug: 'north-south',
    title: 'North against South',
    sportType: 'esports',
    esportType: 'cs2',
    fixtureId: 2,
    home: { name: 'North' },
    away: { name: 'South' },
    markets: [
      { slug: 'north-beats-south' },
      { slug: 'north-wins-map-one', esportsPropType: 'map_winner' },
      { slug: 'three-maps', esportsPropType: 'total_maps' },
    ],
  },
] as const
