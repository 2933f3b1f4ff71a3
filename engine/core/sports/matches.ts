// The matches that are in memory, their markets and their scores (rules §12.8). Only commands
// change them; one thread writes. A match is another object after each change, so a reader may keep
// the one that it has. A match leaves memory when it is finished and all its markets have left it,
// or when an operator removes it.
// Invariants: a fixture is of one match, and so is a market that is in memory; the events of a
// match were applied by rising sequence, so each was applied once at the most.

import { assert } from '../../domain/assert.ts'
import type { Command, MatchCommand } from '../../domain/command.ts'
import type { FixtureId, MarketId } from '../../domain/ids.ts'
import type { Match, MatchMarket, Score, ScoreEvent } from '../../domain/sports/match.ts'
import { SPORT_LIMITS } from '../../domain/sports/sport-limits.ts'
import type { TimeMs } from '../../domain/units.ts'
import { fieldsOf } from '../cells/hashed-fields.ts'

export interface PlacedMarket extends MatchMarket {
  /** The market left memory. */
  readonly isGone: boolean
}

export interface PlacedMatch extends Match {
  readonly markets: readonly PlacedMarket[]
  readonly score: Score | null
  /** Ids of its newest events, oldest first. */
  readonly eventIds: readonly string[]
}

export interface CapturedMatches {
  readonly matches: readonly PlacedMatch[]
}

export function isOfMatches(command: Command): command is MatchCommand {
  const { kind } = command
  return kind === 'putMatch' || kind === 'removeMatch' || kind === 'scoreMatches'
}

/** What an event does to the match of its fixture. */
export type ScoreVerdict = 'applied' | 'repeated' | 'outdated'

type Received = Pick<PlacedMatch, 'eventIds'> & { readonly score: Pick<Score, 'sequence'> | null }

/**
 * A known id changes nothing, and neither does an event that is not newer than the newest. So an
 * event that comes again never counts twice, however old it is: its sequence is not newer.
 */
export function verdictOn({ eventIds, score }: Received, event: ScoreEvent): ScoreVerdict {
  if (eventIds.includes(event.eventId)) return 'repeated'
  return score !== null && event.sequence <= score.sequence ? 'outdated' : 'applied'
}

/** The ids that a match remembers once it heard the event. */
export function idsAfter({ eventIds }: Received, { eventId }: ScoreEvent): readonly string[] {
  return [...eventIds, eventId].slice(-SPORT_LIMITS.eventIdsKept)
}

export class Matches {
  /** Oldest first. */
  readonly #bySlug = new Map<string, PlacedMatch>()
  readonly #slugOfFixture = new Map<FixtureId, string>()
  readonly #slugOfMarket = new Map<MarketId, string>()
  /** Grows with each change. */
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

  /** The match of a market that is in memory. */
  byMarket(marketId: MarketId): PlacedMatch | undefined {
    return this.#bySlug.get(this.#slugOfMarket.get(marketId) ?? '')
  }

  /** Gives the matches whose scores changed, as the command left them. */
  apply(command: MatchCommand): readonly PlacedMatch[] {
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
    assert(match !== undefined, 'a command names a match that is in memory')
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
    assert(!this.#slugOfFixture.has(fixtureId), 'a fixture is of one match')
    this.#bySlug.set(slug, match)
    this.#slugOfFixture.set(fixtureId, slug)
    for (const { marketId, isGone } of markets) {
      if (isGone) continue
      assert(!this.#slugOfMarket.has(marketId), 'a market is of one match')
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

  /** A market left memory; a match that it was the last of may follow. */
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

  /** All the state, for the state hash; no fact without a match. */
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
