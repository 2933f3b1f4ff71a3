import { REWARD_LIMITS } from '../../engine/domain/rewards/reward-limits.ts'
import type { Follower } from './follower.ts'
import type { FollowerMessage } from './follower-thread.ts'
import type { SlicedPace } from './sliced-pace.ts'

// Scores samples of rewards in short turns. Between two turns the thread hears main, and follows
// the journal.

export class ScoringTurns {
  readonly #follower: Follower
  readonly #pace: SlicedPace
  readonly #say: (message: FollowerMessage) => void
  #isDue = false

  constructor(follower: Follower, pace: SlicedPace, say: (message: FollowerMessage) => void) {
    this.#follower = follower
    this.#pace = pace
    this.#say = say
  }

  /** Takes a turn if there is a sample to score; the next one follows by itself. */
  go(): void {
    if (this.#isDue || !this.#follower.isScoring) return
    const untilMs = performance.now() + REWARD_LIMITS.scoringTurnMs
    this.#pace.begin(0)
    const scored = this.#follower.score(() => {
      this.#pace.look()
      return performance.now() >= untilMs
    })
    this.#pace.end()
    if (scored !== null) this.#say({ kind: 'scored', ...scored })
    else this.#goOn()
  }

  #goOn(): void {
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.go()
    })
  }
}
