// Every match that was put and not removed, with its latest score, including archived ones. A match
// put again after it was archived starts again without a score.

import type { Matches } from '../../../../engine/core/sports/matches.ts'
import type { CommandOf } from '../../../../engine/domain/command-kinds.ts'
import {
  MATCH_PHASES,
  type Match,
  phaseOf,
  SPORT_TYPES,
} from '../../../../engine/domain/sports/match.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'

const PUT = `
INSERT INTO matches (slug, sport, esport_type, phase, starts_ms, about, score)
VALUES (?, ?, ?, ?, ?, ?, NULL)
ON CONFLICT DO UPDATE SET sport = excluded.sport, esport_type = excluded.esport_type,
  starts_ms = excluded.starts_ms, about = excluded.about`
const REMOVE = 'DELETE FROM matches WHERE slug = ?'
const SCORE = 'UPDATE matches SET phase = ?, score = ? WHERE slug = ?'
const PUT_MARKET = 'INSERT OR REPLACE INTO match_markets (market_slug, slug) VALUES (?, ?)'
const REMOVE_MARKETS = 'DELETE FROM match_markets WHERE slug = ?'

const UPCOMING = MATCH_PHASES.indexOf('upcoming')

type Row = [string, sport: number, esport: string, phase: number, startsMs: TimeMs, about: string]

interface Waiting {
  readonly command: CommandOf<'matches'>
  /** Whether the match was not in memory before. */
  readonly isNew: boolean
}

export class MatchesTable {
  readonly #put: Statement<Row>
  readonly #remove: Statement<[string]>
  readonly #score: Statement<[phase: number, score: string, slug: string]>
  readonly #putMarket: Statement<[marketSlug: string, slug: string]>
  readonly #removeMarkets: Statement<[string]>
  /** Commands since the last flush, in journal order. */
  #waiting: Waiting[] = []

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
    this.#remove = connection.prepare(REMOVE)
    this.#score = connection.prepare(SCORE)
    this.#putMarket = connection.prepare(PUT_MARKET)
    this.#removeMarkets = connection.prepare(REMOVE_MARKETS)
  }

  /** Called before the command is applied to the matches. */
  applying(command: CommandOf<'matches'>, matches: Matches): void {
    const isNew = command.kind === 'putMatch' && matches.bySlug(command.match.slug) === undefined
    this.#waiting.push({ command, isNew })
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#waiting, pace, (each) => this.#write(each))
    this.#waiting = []
  }

  #write({ command, isNew }: Waiting): void {
    switch (command.kind) {
      case 'putMatch':
        if (isNew) this.#forget(command.match.slug)
        this.#stated(command.match)
        return
      case 'removeMatch':
        this.#forget(command.slug)
        return
      case 'scoreMatches':
        for (const { slug, eventId: _id, ...event } of command.scores) {
          const score = { ...event, scoredMs: command.nowMs }
          const phase = MATCH_PHASES.indexOf(phaseOf(score))
          this.#score.run(phase, JSON.stringify(score), slug)
        }
    }
  }

  #forget(slug: string): void {
    this.#remove.run(slug)
    this.#removeMarkets.run(slug)
  }

  #stated(match: Match): void {
    const { slug, sportType, esportType, startsMs, markets } = match
    const sport = SPORT_TYPES.indexOf(sportType)
    this.#put.run(slug, sport, esportType ?? '', UPCOMING, startsMs, JSON.stringify(match))
    this.#removeMarkets.run(slug)
    for (const market of markets) this.#putMarket.run(market.slug, slug)
  }
}
