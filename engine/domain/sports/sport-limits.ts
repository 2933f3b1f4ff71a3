import { assert } from '../assert.ts'
import { LIMITS } from '../limits.ts'

/** Limits of matches and their scores. The code that checks a limit defines the effect. */
export const SPORT_LIMITS = {
  /** Matches in memory. */
  matchesMax: 4096,
  marketsPerMatchMax: 64,
  teamNameCharactersMax: 128,
  logoCharactersMax: 512,
  esportTypeCharactersMax: 32,
  /** Score events in one call. */
  eventsPerCallMax: 100,
  eventIdCharactersMax: 64,
  /** Ids of a match's latest events, used to detect repeated events. */
  eventIdsKept: 32,
  statusCharactersMax: 64,
  /** Goals, sets, games, runs. */
  pointsMax: 9999,
  minutesMax: 9999,
  wicketsMax: 10,
  oversMax: 9999,
  /** Balls of one over, including re-bowled ones. */
  ballsPerOverMax: 36,
  /** Sets or maps of one match. */
  gamesMax: 16,
  /** Matches per page of a list. */
  listLimitMax: 100,
  /** Scores in one frame. */
  scoresPerFrameMax: 32,
  /** Bytes of the scores in a new reader's first frame: the most recently changed ones. */
  firstFrameBytesMax: 48 * 1024,
} as const

assert(
  SPORT_LIMITS.eventsPerCallMax * 1024 < LIMITS.recordBytesMax,
  'the scores of one call fit a record',
)
assert(
  SPORT_LIMITS.firstFrameBytesMax <= LIMITS.socketTickBytesMax,
  'a first frame gives a reader no more at once than the frames of one tick',
)
