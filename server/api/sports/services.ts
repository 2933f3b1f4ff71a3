import {
  type DecidedScores,
  decideMatch,
  decideMatchRemoval,
  decideScores,
  type FixtureEvent,
  type MatchRequest,
} from '../../../engine/core/decide/matches.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { Match } from '../../../engine/domain/sports/match.ts'
import {
  type MatchesParams,
  matches,
  matchNamed,
  type ShownMatch,
} from '../../../persistence/query/read/markets/matches.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { OrderServices } from '../orders/services.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'

// Changes to matches by operators and score feeds, and match lookups. A match in memory is read
// from there, as of its durable commands; other matches are read from the tables.

export class SportMatches {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads

  constructor(pipeline: Pipeline, reads: PrivateReads) {
    this.#pipeline = pipeline
    this.#reads = reads
  }

  /** Creates the match, or replaces its description; its score stays. */
  async put(wanted: MatchRequest, by: string): Promise<Match | Reject> {
    const { clearing } = this.#pipeline
    let decided: Match | Reject = REJECT.OVERLOADED
    const refused = await this.#pipeline.change(() => {
      decided = decideMatch(clearing, wanted)
      return decided instanceof Reject ? decided : { kind: 'putMatch', match: decided }
    }, by)
    return refused ?? decided
  }

  async remove(slug: string, by: string): Promise<Reject | null> {
    const { clearing } = this.#pipeline
    return this.#pipeline.change(
      () => decideMatchRemoval(clearing, slug) ?? { kind: 'removeMatch', slug },
      by,
    )
  }

  /** Applies all events or, on a refusal, none of them. */
  async score(events: readonly FixtureEvent[]): Promise<DecidedScores | Reject> {
    const { clearing } = this.#pipeline
    let decided: DecidedScores | Reject = REJECT.OVERLOADED
    const refused = await this.#pipeline.change(() => {
      decided = decideScores(clearing, events)
      if (decided instanceof Reject) return decided
      const { scores } = decided
      return scores.length === 0 ? null : { kind: 'scoreMatches', scores }
    })
    return refused ?? decided
  }

  /**
   * The match of this slug, or of the market with this slug; null for none, undefined on a read
   * timeout.
   */
  async named(slug: string, requester: Requester): Promise<Match | null | undefined> {
    const { published } = this.#pipeline
    const market = published.bySlug(slug)?.market
    const ofMarket = market && published.matches.byMarket(market.marketId)
    const live = published.matches.bySlug(slug) ?? ofMarket
    if (live !== undefined) return live
    const found = await this.#reads.read(matchNamed, slug, requester)
    return found === undefined || found === null ? found : found.match
  }

  /** Undefined on a read timeout. */
  page(request: MatchesParams, requester: Requester): Promise<ShownMatch[] | undefined> {
    return this.#reads.read(matches, request, requester)
  }
}

/** What the routes of this folder need. */
export interface SportServices extends SharedServices, Pick<OrderServices, 'everywhere'> {
  readonly matches: SportMatches
}
