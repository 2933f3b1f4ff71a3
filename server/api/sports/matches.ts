// What operators and feeds of scores do to matches, and how matches are found. A match that is in
// memory is taken from there, as its durable commands left it; another is read from the tables.

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
import type { PrivateReads, Requester } from '../reads/private-reads.ts'

export class SportMatches {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads

  constructor(pipeline: Pipeline, reads: PrivateReads) {
    this.#pipeline = pipeline
    this.#reads = reads
  }

  /** Makes the match, or replaces what is said of it; its score stays. */
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

  /** Takes all events or, with a refusal, none of them. */
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
   * The match of this slug, or of the market with this slug; null for none, undefined without an
   * answer in time.
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

  /** Undefined without an answer in time. */
  page(request: MatchesParams, requester: Requester): Promise<ShownMatch[] | undefined> {
    return this.#reads.read(matches, request, requester)
  }
}
