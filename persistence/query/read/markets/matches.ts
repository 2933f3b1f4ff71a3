import {
  MATCH_PHASES,
  type Match,
  type MatchPhase,
  type Score,
  SPORT_TYPES,
  type SportType,
} from '../../../../engine/domain/sports/match.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { query } from '../query.ts'

// Matches by phase: live, then upcoming, earliest first; then finished, latest first. Each part of
// a page is a range of an index, with at most one range per sport.

const ROW = 'slug, phase, starts_ms AS startsMs, about, score'
const rangeOf = (index: string, isLatestFirst: boolean) => `
SELECT ${ROW} FROM matches
WHERE phase = ? AND ${index} = ? AND (starts_ms, slug) ${isLatestFirst ? '<' : '>'} (?, ?)
ORDER BY starts_ms${isLatestFirst ? ' DESC' : ''}, slug${isLatestFirst ? ' DESC' : ''} LIMIT ?`
const BY_SLUG = `SELECT ${ROW} FROM matches WHERE slug = ?`
const OF_MARKET = 'SELECT slug FROM match_markets WHERE market_slug = ?'

interface Row {
  readonly slug: string
  readonly phase: number
  readonly startsMs: TimeMs
  readonly about: string
  readonly score: string | null
}

export interface ShownMatch {
  readonly match: Match
  readonly score: Score | null
}

function shownOf({ about, score }: Row): ShownMatch {
  return { match: JSON.parse(about), score: score === null ? null : JSON.parse(score) }
}

/** The position of a match in the list. */
export interface MatchPlace {
  readonly phase: MatchPhase
  readonly startsMs: TimeMs
  readonly slug: string
}

export interface MatchesParams {
  readonly phases: readonly MatchPhase[]
  /** null = all sports. */
  readonly sportType: SportType | null
  /** null = matches with any game or none. */
  readonly esportType: string | null
  /** Returns only matches after it; null = all. */
  readonly after: MatchPlace | null
  readonly limit: number
}

type RangeStatement = Statement<
  [phase: number, of: number | string, startsMs: TimeMs, slug: string, limit: number],
  Row
>

/** Sorts after every slug: slugs have letters, digits and dashes. */
const LAST_SLUG = '~'

class MatchLists {
  readonly #bySport: readonly [earliestFirst: RangeStatement, latestFirst: RangeStatement]
  readonly #byEsport: readonly [earliestFirst: RangeStatement, latestFirst: RangeStatement]

  constructor(db: Connection) {
    this.#bySport = [db.prepare(rangeOf('sport', false)), db.prepare(rangeOf('sport', true))]
    this.#byEsport = [
      db.prepare(rangeOf('esport_type', false)),
      db.prepare(rangeOf('esport_type', true)),
    ]
  }

  page(params: MatchesParams): ShownMatch[] {
    const found: Row[] = []
    const first = params.after === null ? 0 : MATCH_PHASES.indexOf(params.after.phase)
    for (const [phase, name] of MATCH_PHASES.entries()) {
      if (phase < first || !params.phases.includes(name)) continue
      found.push(...this.#ofPhase(params, phase, params.limit - found.length))
      if (found.length >= params.limit) break
    }
    return found.map(shownOf)
  }

  #ofPhase({ sportType, esportType, after }: MatchesParams, phase: number, limit: number): Row[] {
    const isLatestFirst = MATCH_PHASES[phase] === 'finished'
    const direction = isLatestFirst ? 1 : 0
    const start: readonly [TimeMs, string] =
      after !== null && MATCH_PHASES[phase] === after.phase
        ? [after.startsMs, after.slug]
        : isLatestFirst
          ? [Number.MAX_SAFE_INTEGER, LAST_SLUG]
          : [-1, '']
    if (esportType !== null) {
      if (sportType !== null && sportType !== 'esports') return []
      return this.#byEsport[direction].all(phase, esportType, ...start, limit)
    }
    const sports = sportType === null ? SPORT_TYPES : [sportType]
    const rows = sports.flatMap((sport) =>
      this.#bySport[direction].all(phase, SPORT_TYPES.indexOf(sport), ...start, limit),
    )
    const sign = isLatestFirst ? -1 : 1
    rows.sort((one, other) => sign * order(one, other))
    return rows.slice(0, limit)
  }
}

/** Earliest first. Slugs are ASCII, so they sort as in SQLite. */
function order(one: Row, other: Row): number {
  if (one.startsMs !== other.startsMs) return one.startsMs - other.startsMs
  return one.slug < other.slug ? -1 : 1
}

/** One page of the matches that pass the filters. */
export const matches = query({
  name: 'matches',
  prepare: (db) => new MatchLists(db),
  run: (lists, params: MatchesParams): ShownMatch[] => lists.page(params),
})

/** The match with this slug, or with a market of this slug; null if there is none. */
export const matchNamed = query({
  name: 'matchNamed',
  prepare: (db) => ({
    bySlug: db.prepare<[string], Row>(BY_SLUG),
    ofMarket: db.prepare<[string], { readonly slug: string }>(OF_MARKET),
  }),
  run: ({ bySlug, ofMarket }, slug: string): ShownMatch | null => {
    const row = bySlug.get(slug) ?? bySlug.get(ofMarket.get(slug)?.slug ?? '')
    return row === undefined ? null : shownOf(row)
  },
})
