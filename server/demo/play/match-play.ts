// Plays the matches of the demo: a score moves each round. A finished match restarts some rounds
// later, so one of each kind is always in play.

import { adminCall } from '../demo-client.ts'
import { MATCHES } from '../demo-fill.ts'
import type { OwnServer } from '../own-server.ts'
import { type BotOptions, type Rounds, startRounds } from './rounds.ts'

export interface MatchPlayOptions extends BotOptions {
  readonly operators: OwnServer
  readonly adminToken: string
}

const ROUND_MS = 10_000
/** Rounds for which the end of a match is shown. */
const PAUSE_ROUNDS = 6
const HALF_MINUTES = 45
const GOAL_CHANCE = 0.02
const MAP_ROUNDS = 13
const MAPS_TO_WIN = 2

type Sides = { home: number; away: number }

const nil = (): Sides => ({ home: 0, away: 0 })

export interface Play {
  /** The fields of the next event. */
  next(): { readonly isFinished: boolean; readonly [field: string]: unknown }
}

/** One minute per round. */
export function footballPlay(random: () => number): Play {
  let goals = nil()
  let minute = 0
  return {
    next() {
      if (minute >= 2 * HALF_MINUTES + PAUSE_ROUNDS) {
        goals = nil()
        minute = 0
      }
      minute++
      const isFinished = minute > 2 * HALF_MINUTES
      if (!isFinished && random() < GOAL_CHANCE) goals.home++
      if (!isFinished && random() < GOAL_CHANCE) goals.away++
      const half = minute <= HALF_MINUTES ? '1H' : '2H'
      return {
        sportType: 'football',
        homeScore: goals.home,
        awayScore: goals.away,
        elapsedMinutes: Math.min(minute, 2 * HALF_MINUTES),
        statusShort: isFinished ? 'FT' : half,
        isFinished,
      }
    },
  }
}

/** One round of a map per round; two maps win the match. */
export function esportPlay(random: () => number): Play {
  let maps = nil()
  let games: Sides[] = [nil()]
  let shown = 0
  const isOver = () => Math.max(maps.home, maps.away) === MAPS_TO_WIN
  return {
    next() {
      if (shown >= PAUSE_ROUNDS) {
        maps = nil()
        games = [nil()]
        shown = 0
      }
      if (isOver()) shown++
      else {
        const side = random() < 0.5 ? 'home' : 'away'
        const game = games[games.length - 1]
        game[side]++
        if (game[side] === MAP_ROUNDS) {
          maps[side]++
          if (!isOver()) games.push(nil())
        }
      }
      return {
        sportType: 'esports',
        matchScore: { ...maps },
        gameScores: games.map((each) => ({ ...each })),
        status: isOver() ? 'finished' : 'running',
        isFinished: isOver(),
      }
    },
  }
}

/** A demo created by an older version has no matches: their events are ignored. */
export function startMatchPlay({
  operators,
  adminToken,
  warn,
  audience,
}: MatchPlayOptions): Rounds {
  const plays = MATCHES.map(({ fixtureId, sportType }) => {
    const play = sportType === 'esports' ? esportPlay(Math.random) : footballPlay(Math.random)
    return { fixtureId, play }
  })
  const round = () => {
    // Also rises across restarts.
    const sequence = Date.now()
    const events = plays.map(({ fixtureId, play }) => {
      return { eventId: `demo-${sequence}`, fixtureId, sequence, ...play.next() }
    })
    return adminCall(operators, adminToken, '/admin/sports/scores', { events })
  }
  return startRounds({ name: "the demo's matches", warn, audience, round, pauseMs: () => ROUND_MS })
}
