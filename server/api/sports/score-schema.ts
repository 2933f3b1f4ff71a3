// The scores of matches: what an event may say of each sport, and what everybody is told (rules
// §12.8). A score travels as JSON text through commands, and is read here.

import { assert } from '../../../engine/domain/assert.ts'
import {
  type Match,
  type Score,
  SPORT_TYPES,
  type SportType,
} from '../../../engine/domain/sports/match.ts'
import { SPORT_LIMITS } from '../../../engine/domain/sports/sport-limits.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { firstShown, named, shownWith } from '../../edge/http/schema/printed.ts'
import { boolean, integer, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import {
  anyOf,
  compile,
  type Fields,
  type Infer,
  list,
  object,
  optional,
  type Schema,
} from '../../edge/http/schema/schema.ts'
import { line } from '../../edge/http/schema/visible-text.ts'
import type { Issue } from '../../messages/refusal.ts'

const { pointsMax, minutesMax, wicketsMax, oversMax, ballsPerOverMax, gamesMax } = SPORT_LIMITS
const SHORT_STATUS_MAX = 16

const points = () => integer(0, pointsMax)
const minutes = () => integer(0, minutesMax)
const pair = () =>
  object({
    home: means(points(), 'Points of the home side.'),
    away: means(points(), 'Points of the away side.'),
  })
const overRuns = () => anyOf(points(), list(points(), 0, ballsPerOverMax))

export const fixtureId = () => means(integer(1), 'Number of the match where its scores come from.')
const isFinished = () => means(boolean(), 'Whether the match is over.')
const sport = <const S extends SportType>(...sports: readonly S[]) =>
  means(oneOf(...sports), 'The sport of the match.')

/** What is told of football and of tennis, beside what every score has. */
const fieldContent = {
  sportType: sport('football', 'tennis'),
  homeScore: means(nullable(points()), 'Goals or sets of the home side; null before the first.'),
  awayScore: means(nullable(points()), 'Goals or sets of the away side; null before the first.'),
  elapsedMinutes: means(nullable(minutes()), 'Minutes that were played; null when not counted.'),
  extraMinutes: means(nullable(minutes()), 'Minutes of stoppage time; null without it.'),
  statusShort: means(text(), 'Where the match stands, in short, as in 1H; may be empty.'),
  status: means(text(), 'Where the match stands, in words; may be empty.'),
  setScores: means(optional(list(pair())), 'Games of each set; absent when they are not told.'),
}

const cricketContent = {
  sportType: sport('cricket'),
  homeScore: means(nullable(points()), 'As homeRuns, for readers of any sport; null when untold.'),
  awayScore: means(nullable(points()), 'As awayRuns, for readers of any sport; null when untold.'),
  elapsedMinutes: means(nullable(minutes()), 'Always null in cricket.'),
  extraMinutes: means(nullable(minutes()), 'Always null here as well.'),
  statusShort: means(text(), 'Where the match stands, in short; may be empty.'),
  status: means(text(), 'Where the match stands, in words; may be empty.'),
  homeRuns: means(points(), 'Runs of the home side.'),
  homeWickets: means(integer(0, wicketsMax), 'Wickets that the home side lost.'),
  awayRuns: means(points(), 'Runs of the away side.'),
  awayWickets: means(integer(0, wicketsMax), 'Wickets that the away side lost.'),
  overRuns: means(overRuns(), 'Runs of the over under way: in all, or ball by ball.'),
  battingTeam: means(optional(oneOf('home', 'away')), 'The side that bats; absent for none.'),
  currentOver: means(optional(integer(0, oversMax)), 'Number of the over; absent for none.'),
  ballInOver: means(
    optional(integer(0, ballsPerOverMax)),
    'Number of the ball in the over; absent when it is not told.',
  ),
}

const esportContent = {
  status: means(text(), 'Where the match stands; may be empty.'),
  matchScore: means(pair(), 'Maps that each side won.'),
  gameScores: means(optional(list(pair())), 'Rounds of each map; absent when they are not told.'),
}

const fieldScore = () =>
  object({ fixtureId: fixtureId(), isFinished: isFinished(), ...fieldContent })
const cricketScore = () =>
  object({ fixtureId: fixtureId(), isFinished: isFinished(), ...cricketContent })

/** A score of football, tennis or cricket, as it is told. */
export const sportScore = () => anyOf(fieldScore(), cricketScore())

/** A score of an esports match, as it is told; its sport tells it from the others in Java. */
export const esportScore = () =>
  object({
    matchId: means(integer(1), 'Number of the match where its scores come from.'),
    sportType: sport('esports'),
    isFinished: isFinished(),
    ...esportContent,
  })

/** One event as an operator sends it: the whole score from then on. */
export function scoreEvent() {
  const whole = object({
    eventId: means(
      text(SPORT_LIMITS.eventIdCharactersMax, 1),
      'Id of the event. The same event again changes nothing.',
    ),
    fixtureId: fixtureId(),
    sequence: means(integer(1), 'Number of the event, which rises with each event of its match.'),
    sportType: means(oneOf(...SPORT_TYPES), 'The sport, which says what fields the event has.'),
    isFinished: means(optional(boolean()), 'Whether the match is over; false when absent.'),
    status: means(
      optional(line(SPORT_LIMITS.statusCharactersMax)),
      'Where the match stands, in words; empty when absent.',
    ),
    statusShort: means(
      optional(line(SHORT_STATUS_MAX)),
      'Where the match stands, in short; empty when absent. Not of esports.',
    ),
    homeScore: means(optional(nullable(points())), 'Goals or sets of the home side.'),
    awayScore: means(optional(nullable(points())), 'Goals or sets of the away side.'),
    elapsedMinutes: means(optional(nullable(minutes())), 'Minutes that were played.'),
    extraMinutes: means(optional(nullable(minutes())), 'Minutes of stoppage time.'),
    setScores: means(optional(list(pair(), 0, gamesMax)), 'Games of each set; of tennis.'),
    homeRuns: means(optional(points()), 'Runs of the home side; 0 when absent. Of cricket.'),
    homeWickets: means(
      optional(integer(0, wicketsMax)),
      'Wickets that the home side lost; 0 when absent. Of cricket.',
    ),
    awayRuns: means(optional(points()), 'Runs of the away side; 0 when absent. Of cricket.'),
    awayWickets: means(
      optional(integer(0, wicketsMax)),
      'Wickets that the away side lost; 0 when absent. Of cricket.',
    ),
    overRuns: means(
      optional(firstShown(points(), list(points(), 0, ballsPerOverMax))),
      'Runs of the over under way: in all, or ball by ball; 0 when absent. Of cricket.',
    ),
    battingTeam: means(optional(oneOf('home', 'away')), 'The side that bats; of cricket.'),
    currentOver: means(optional(integer(0, oversMax)), 'Number of the over; of cricket.'),
    ballInOver: means(
      optional(integer(0, ballsPerOverMax)),
      'Number of the ball in the over; of cricket.',
    ),
    matchScore: means(optional(pair()), 'Maps that each side won; needed in esports.'),
    gameScores: means(optional(list(pair(), 0, gamesMax)), 'Rounds of each map; of esports.'),
  })
  return ofOneSport(whole)
}

/** Documents show a shape for each sport: the fields of another are refused. */
function ofOneSport<S extends { readonly properties: Fields }>(whole: S & Schema): S {
  const oneOf = SPORT_TYPES.map((sportType) => {
    const known = [...OF_ALL, ...FIELDS[sportType]]
    const fields = Object.entries(whole.properties).filter(([name]) => known.includes(name))
    const shape = object({ ...Object.fromEntries(fields), sportType: sport(sportType) })
    const more = sportType === 'esports' ? ['matchScore'] : []
    const needed = { ...shape, required: [...(shape.required ?? []), ...more] }
    return named(`${sportType[0].toUpperCase()}${sportType.slice(1)}ScoreEvent`, needed)
  })
  const hidden = { type: undefined, required: undefined, properties: undefined }
  return shownWith(whole, { ...hidden, additionalProperties: undefined, oneOf })
}

export type ScoreEventBody = Infer<ReturnType<typeof scoreEvent>>

const OF_ALL = ['eventId', 'fixtureId', 'sequence', 'sportType', 'isFinished', 'status']
const OF_FIELD = ['statusShort', 'homeScore', 'awayScore', 'elapsedMinutes', 'extraMinutes']
const FIELDS: Readonly<Record<SportType, readonly string[]>> = {
  football: OF_FIELD,
  tennis: [...OF_FIELD, 'setScores'],
  cricket: [
    ...['statusShort', 'homeRuns', 'homeWickets', 'awayRuns', 'awayWickets', 'overRuns'],
    ...['battingTeam', 'currentOver', 'ballInOver'],
  ],
  esports: ['matchScore', 'gameScores'],
}

/** Why an event does not fit its sport, or null. */
export function eventIssue(event: ScoreEventBody): Issue | null {
  const { sportType, matchScore } = event
  const known = new Set([...OF_ALL, ...FIELDS[sportType]])
  const wrong = Object.entries(event).find(([name, value]) => {
    return value !== undefined && !known.has(name)
  })
  if (wrong !== undefined) return { field: wrong[0], message: `is no field of ${sportType}` }
  if (sportType !== 'esports' || matchScore !== undefined) return null
  return { field: 'matchScore', message: 'is required' }
}

/** What is told of the event, as JSON. Absent fields are left out. */
export function scoreJsonOf(event: ScoreEventBody): string {
  const { sportType, status = '', statusShort = '', matchScore, gameScores } = event
  if (sportType === 'esports') return JSON.stringify({ status, matchScore, gameScores })
  const { elapsedMinutes = null, extraMinutes = null } = event
  const shared = { sportType, elapsedMinutes, extraMinutes, statusShort, status }
  if (sportType !== 'cricket') {
    const { homeScore = null, awayScore = null, setScores } = event
    return JSON.stringify({ ...shared, homeScore, awayScore, setScores })
  }
  const { homeRuns = 0, homeWickets = 0, awayRuns = 0, awayWickets = 0, overRuns: over = 0 } = event
  const { battingTeam, currentOver, ballInOver } = event
  // Nobody told a score of a side that has not batted, and 0 would be one.
  const { homeRuns: homeScore = null, awayRuns: awayScore = null } = event
  const runs = { homeScore, awayScore, homeRuns, awayRuns, overRuns: over }
  const wickets = { homeWickets, awayWickets }
  const now = { battingTeam, currentOver, ballInOver }
  return JSON.stringify({ ...shared, ...runs, ...wickets, ...now })
}

const ofSport = compile(anyOf(object(fieldContent), object(cricketContent)))
const ofEsport = compile(object(esportContent))

type ReportedMatch = Pick<Match, 'sportType' | 'fixtureId'>

/** A score of football, tennis or cricket as it is told. */
function sportScoreView({ fixtureId: id }: ReportedMatch, score: Score) {
  const content: unknown = JSON.parse(score.scoreJson)
  assert(ofSport.holds(content), 'a score was checked when it came')
  return { fixtureId: id, isFinished: score.isFinished, ...content }
}

/** A score of an esports match as it is told. */
function esportScoreView({ fixtureId: matchId }: ReportedMatch, score: Score) {
  const content: unknown = JSON.parse(score.scoreJson)
  assert(ofEsport.holds(content), 'a score of esports was checked when it came')
  return { matchId, sportType: 'esports' as const, isFinished: score.isFinished, ...content }
}

/** A score as it is told. */
export function scoreView(match: ReportedMatch, score: Score) {
  return match.sportType === 'esports'
    ? esportScoreView(match, score)
    : sportScoreView(match, score)
}
