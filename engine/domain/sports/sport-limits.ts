import { assert } from '../assert.ts'
import { LIMITS } from '../limits.ts'

/** Bounds on matches and their scores. The code that checks a bound says what happens. */
export const SPORT_LIMITS = {
  /** Matches in memory. */
  matchesMax: 4096,
  marketsPerMatchMax: 64,
  teamNameCharactersMax: 128,
  logoCharactersMax: 512,
  esportTypeCharactersMax: 32,
  /** Events of scores in one call. */
  eventsPerCallMax: 100,
  eventIdCharactersMax: 64,
  /** Ids of the newest events of a match, by which the same event is known again. */
  eventIdsKept: 32,
  statusCharactersMax: 64,
  /** Goals, sets, games, runs. */
  pointsMax: 9999,
  minutesMax: 9999,
  wicketsMax: 10,
  oversMax: 9999,
  /** Balls of one over, with those that are bowled again. */
  ballsPerOverMax: 36,
  /** Sets or maps of one match. */
  gamesMax: 16,
  /** Matches on one page of a list. */
  listLimitMax: 100,
  /** Scores in one frame. */
  scoresPerFrameMax: 32,
  /** Bytes of the scores that a new reader gets at once: those that changed last. */
  firstFrameBytesMax: 48 * 1024,
} as const

assert(
  SPORT_LIMITS.eventsPerCallMax * 1024 < LIMITS.recordBytesMax,
  'the scores of one call fit a record',
)
assert(
  SPORT_LIMITS.firstFrameBytesMax <= LIMITS.socketTickBytesMax,
  'a first frame gives a reader no more at once than the frames of a turn',
)
