// Gates of matches and their scores.

import type { FixtureId } from '../../domain/ids.ts'
import { kindOf } from '../../domain/markets/market.ts'
import { REJECT, Reject } from '../../domain/reject-precedence.ts'
import type {
  Match,
  MatchMarket,
  MatchScore,
  PropType,
  ScoreEvent,
  SportType,
} from '../../domain/sports/match.ts'
import { SPORT_LIMITS } from '../../domain/sports/sport-limits.ts'
import type { Clearing } from '../clearing.ts'
import { idsAfter, type PlacedMatch, type ScoreVerdict, verdictOn } from '../sports/matches.ts'

/** A match as requested, with its markets by slug. */
export interface MatchRequest extends Omit<Match, 'markets'> {
  readonly markets: readonly { readonly slug: string; readonly propType: PropType | null }[]
}

/** The match with its markets' ids, or why it is refused. */
export function decideMatch(clearing: Clearing, wanted: MatchRequest): Match | Reject {
  const { matches } = clearing
  const before = matches.bySlug(wanted.slug)
  const isFull = before === undefined && matches.count >= SPORT_LIMITS.matchesMax
  if (isFull) return REJECT.MATCH_LIMIT
  const ofFixture = matches.byFixture(wanted.fixtureId)
  if (ofFixture !== undefined && ofFixture !== before) return REJECT.MATCH_FIXTURE_TAKEN
  const isSame = before?.sportType === wanted.sportType && before.fixtureId === wanted.fixtureId
  if (before !== undefined && before.score !== null && !isSame) return REJECT.MATCH_SCORED
  const slugs = new Set(wanted.markets.map(({ slug }) => slug))
  if (slugs.size < wanted.markets.length) return REJECT.MATCH_MARKET_INVALID
  const markets: MatchMarket[] = []
  for (const { slug, propType } of wanted.markets) {
    const marketId = marketOf(clearing, before, slug)
    if (marketId instanceof Reject) return marketId
    markets.push({ marketId, slug, propType })
  }
  return { ...wanted, markets }
}

/** A market of the match may be archived. Other markets must be in memory and in no match. */
function marketOf(
  { catalogue, matches }: Clearing,
  before: PlacedMatch | undefined,
  slug: string,
): MatchMarket['marketId'] | Reject {
  const own = before?.markets.find((each) => each.slug === slug)
  if (own !== undefined) return own.marketId
  const market = catalogue.bySlug(slug)
  if (market === undefined) return REJECT.MARKET_NOT_FOUND
  if (kindOf(market) === 'group') return REJECT.MATCH_MARKET_INVALID
  const isTaken = matches.byMarket(market.marketId) !== undefined
  return isTaken ? REJECT.MATCH_MARKET_TAKEN : market.marketId
}

export function decideMatchRemoval({ matches }: Clearing, slug: string): Reject | null {
  return matches.bySlug(slug) === undefined ? REJECT.MATCH_NOT_FOUND : null
}

/** A score event as received. */
export interface FixtureEvent extends ScoreEvent {
  readonly fixtureId: FixtureId
  readonly sportType: SportType
}

export interface DecidedScores {
  /** The events that change a score, in order. */
  readonly scores: readonly MatchScore[]
  /** The result of each event; `unknown` if no match has its fixture. */
  readonly verdicts: readonly (ScoreVerdict | 'unknown')[]
}

export function decideScores(
  { matches }: Clearing,
  events: readonly FixtureEvent[],
): DecidedScores | Reject {
  const scores: MatchScore[] = []
  const verdicts: (ScoreVerdict | 'unknown')[] = []
  /** The state of each match after the earlier events of this call. */
  const received = new Map<
    string,
    Pick<PlacedMatch, 'eventIds'> & { score: { sequence: number } }
  >()
  for (const { fixtureId, sportType, ...event } of events) {
    const match = matches.byFixture(fixtureId)
    if (match === undefined) {
      verdicts.push('unknown')
      continue
    }
    if (match.sportType !== sportType) return REJECT.SCORE_OF_OTHER_SPORT
    const { slug } = match
    const before = received.get(slug) ?? match
    const verdict = verdictOn(before, event)
    verdicts.push(verdict)
    if (verdict !== 'applied') continue
    received.set(slug, { eventIds: idsAfter(before, event), score: { sequence: event.sequence } })
    scores.push({ slug, ...event })
  }
  return { scores, verdicts }
}
