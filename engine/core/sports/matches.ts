// Matches in memory, with their markets and scores (rules §12.8). Only commands change them; one
// thread writes. Each change creates a new match object, so readers may keep theirs. A match leaves
// memory when it is finished and all its markets have been archived, or when an operator removes
// it.
// Invariants: a fixture belongs to one match, and so does a market in memory; the events of a match
// were applied by increasing sequence, so each was applied at most once.

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import type { FixtureId, MarketId } from '../../domain/ids.ts'
import type { Match, MatchMarket, Score, ScoreEvent } from '../../domain/sports/match.ts'
import { SPORT_LIMITS } from '../../domain/sports/sport-limits.ts'
import type { TimeMs } from '../../domain/units.ts'
import { fieldsOf } from '../cells/hashed-fields.ts'

export interface PlacedMarket extends MatchMarket {
  /** Whether the market was archived. */
  readonly isGone: boolean
}

export interface PlacedMatch extends Match {
  readonly markets: readonly PlacedMarket[]
  readonly score: Score | null
  /** Ids of its latest events, oldest first. */
  readonly eventIds: readonly string[]
}

export interface CapturedMatches {
  readonly matches: readonly PlacedMatch[]
}

/** The effect of an event on the match of its fixture. */
export type ScoreVerdict = 'applied' | 'repeated' | 'outdated'

type Received = Pick<PlacedMatch, 'eventIds'> & { readonly score: Pick<Score, 'sequence'> | null }

/**
 * A known id changes nothing, and neither does an event that is not newer than the latest one. So a
 * repeated event never counts twice, however old it is: its sequence is not newer.
 */
export function verdictOn({ eventIds, score }: Received, event: ScoreEvent): ScoreVerdict {
  if (eventIds.includes(event.eventId)) return 'repeated'
  return score !== null && event.sequence <= score.sequence ? 'outdated' : 'applied'
}

/** The ids that a match remembers after the event. */
export function idsAfter({ eventIds }: Received, { eventId }: ScoreEvent): readonly string[] {
  return [...eventIds, eventId].slice(-SPORT_LIMITS.eventIdsKept)
}

export class Matches {
  /** Oldest first. */
  readonly #bySlug = new Map<string, PlacedMatch>()
  readonly #slugOfFixture = new Map<FixtureId, string>()
  readonly #slugOfMarket = new Map<MarketId, string>()
  /** Increases with each change. */
  version = 0

  get count(): number {
    return this.#bySlug.size
  }

  /** Oldest first. */
  all(): Iterable<PlacedMatch> {
    return this.#bySlug.values()
  }

  bySlug(slug: string): PlacedMatch | undefined {
    return this.#bySlug.get(slug)
  }

  byFixture(fixtureId: FixtureId): PlacedMatch | undefined {
    return this.#bySlug.get(this.#slugOfFixture.get(fixtureId) ?? '')
  }

  /** The match of a market in memory. */
  byMarket(marketId: MarketId): PlacedMatch | undefined {
    return this.#bySlug.get(this.#slugOfMarket.get(marketId) ?? '')
  }

  /** Returns the matches whose scores changed, in their new state. */
  apply(command: CommandOf<'matches'>): readonly PlacedMatch[] {
    this.version++
    switch (command.kind) {
      case 'putMatch':
        this.#put(command.match)
        return []
      case 'removeMatch':
        this.#forget(this.#existing(command.slug))
        return []
      case 'scoreMatches': {
        const scored = new Map<string, PlacedMatch>()
        for (const { slug, ...event } of command.scores) {
          scored.set(slug, this.#score(slug, event, command.nowMs))
        }
        for (const match of scored.values()) this.#forgetIfOver(match)
        return [...scored.values()]
      }
    }
  }

  #existing(slug: string): PlacedMatch {
    const match = this.#bySlug.get(slug)
    assert(match !== undefined, 'the match of a command is in memory')
    return match
  }

  #put(match: Match): void {
    const before = this.#bySlug.get(match.slug)
    const gone = new Set<MarketId>()
    for (const { marketId, isGone } of before?.markets ?? []) {
      this.#slugOfMarket.delete(marketId)
      if (isGone) gone.add(marketId)
    }
    if (before !== undefined) this.#slugOfFixture.delete(before.fixtureId)
    this.#place({
      ...match,
      markets: match.markets.map((each) => ({ ...each, isGone: gone.has(each.marketId) })),
      score: before?.score ?? null,
      eventIds: before?.eventIds ?? [],
    })
    this.#forgetIfOver(this.#existing(match.slug))
  }

  #place(match: PlacedMatch): void {
    const { slug, fixtureId, markets } = match
    assert(!this.#slugOfFixture.has(fixtureId), 'a fixture belongs to one match')
    this.#bySlug.set(slug, match)
    this.#slugOfFixture.set(fixtureId, slug)
    for (const { marketId, isGone } of markets) {
      if (isGone) continue
      assert(!this.#slugOfMarket.has(marketId), 'a market belongs to one match')
      this.#slugOfMarket.set(marketId, slug)
    }
  }

  #score(slug: string, event: ScoreEvent, nowMs: TimeMs): PlacedMatch {
    const before = this.#existing(slug)
    assert(verdictOn(before, event) === 'applied', 'only a newer event is applied')
    const { sequence, isFinished, scoreJson } = event
    const score = { sequence, isFinished, scoreJson, scoredMs: nowMs }
    const after = { ...before, score, eventIds: idsAfter(before, event) }
    this.#bySlug.set(slug, after)
    return after
  }

  /**
   * A market was archived. If it was the last one of a finished match, the match may leave memory
   * too.
   */
  marketGone(marketId: MarketId): void {
    const before = this.byMarket(marketId)
    if (before === undefined) return
    this.version++
    this.#slugOfMarket.delete(marketId)
    const markets = before.markets.map((each) =>
      each.marketId === marketId ? { ...each, isGone: true } : each,
    )
    const after = { ...before, markets }
    this.#bySlug.set(before.slug, after)
    this.#forgetIfOver(after)
  }

  #forgetIfOver(match: PlacedMatch): void {
    const isOver = match.score?.isFinished === true && match.markets.every(({ isGone }) => isGone)
    if (isOver) this.#forget(match)
  }

  #forget({ slug, fixtureId, markets }: PlacedMatch): void {
    this.#bySlug.delete(slug)
    this.#slugOfFixture.delete(fixtureId)
    for (const { marketId } of markets) {
      if (this.#slugOfMarket.get(marketId) === slug) this.#slugOfMarket.delete(marketId)
    }
  }

  /** The full state, for the state hash; empty without matches. */
  *hashedFields(): Iterable<unknown> {
    for (const { home, away, markets, score, ...match } of this.#bySlug.values()) {
      yield ['match', fieldsOf(match), fieldsOf(home), fieldsOf(away)]
      yield ['markets of match', markets.map(fieldsOf), score === null ? null : fieldsOf(score)]
    }
  }

  capture(): CapturedMatches {
    return { matches: [...this.#bySlug.values()] }
  }

  restore({ matches }: CapturedMatches): void {
    assert(this.#bySlug.size === 0, 'only a fresh state is restored')
    for (const match of matches) this.#place(match)
    this.version++
  }
}
