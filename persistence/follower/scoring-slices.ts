import { REWARD_LIMITS } from '../../engine/domain/rewards/reward-limits.ts'
import type { Follower } from './follower.ts'
import type { FollowerMessage, FollowerRequest } from './follower-thread.ts'
import type { SlicedPace } from './sliced-pace.ts'

// Scores reward samples, computes main's projections and deletes old history in short slices.
// Between two slices the thread receives main's messages and follows the journal.

export class ScoringSlices {
  readonly #follower: Follower
  readonly #pace: SlicedPace
  readonly #say: (message: FollowerMessage) => void
  #isDue = false

  constructor(follower: Follower, pace: SlicedPace, say: (message: FollowerMessage) => void) {
    this.#follower = follower
    this.#pace = pace
    this.#say = say
  }

  request(request: Extract<FollowerRequest, { kind: 'project' }>): void {
    this.#follower.projector.request(request.id, request)
    this.go()
  }

  get #hasWork(): boolean {
    return this.#follower.isScoring || this.#follower.projector.isDue || this.#follower.isPruning
  }

  /** Runs a slice if there is work for it. The next one is scheduled automatically. */
  go(): void {
    if (this.#isDue || !this.#hasWork) return
    const untilMs = performance.now() + REWARD_LIMITS.scoringSliceMs
    const isOver = () => {
      this.#pace.look()
      return performance.now() >= untilMs
    }
    this.#pace.begin(0)
    // Rewards first, because main waits for them before it takes the next sample.
    const scored = this.#follower.score(isOver)
    const projected = this.#follower.projector.work(isOver)
    this.#follower.prune(isOver)
    this.#pace.end()
    if (scored !== null) this.#say({ kind: 'scored', ...scored })
    if (projected !== null) this.#say({ kind: 'projected', ...projected })
    if (this.#hasWork) this.#goOn()
  }

  #goOn(): void {
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.go()
    })
  }
}
