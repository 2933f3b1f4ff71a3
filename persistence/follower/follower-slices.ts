import type { Seq } from '../../engine/domain/ids.ts'
import type { Follower } from './follower.ts'
import type { FollowerMessage, FollowerRequest } from './follower-thread.ts'
import { ScoringSlices } from './scoring-slices.ts'
import type { SlicedPace } from './sliced-pace.ts'
import { WantedRows } from './wanted-rows.ts'

// Follows the durable journal one chunk at a time. After each chunk it writes a page of the
// backlog, and more pages while idle. Between chunks and pages the thread receives main's messages.

interface FollowerSlicesParts {
  readonly follower: Follower
  readonly pace: SlicedPace
  /** The end of the journal at the start. */
  readonly startSeq: Seq
  /** Whether main gets the hash of the state once a minute. */
  readonly hashesMinutes: boolean
  readonly say: (message: FollowerMessage) => void
}

export class FollowerSlices {
  readonly #parts: FollowerSlicesParts
  readonly #wanted: WantedRows
  readonly #scoring: ScoringSlices
  #targetSeq: Seq
  #isQueued = false

  constructor(parts: FollowerSlicesParts) {
    const { follower, pace, startSeq, say } = parts
    this.#parts = parts
    this.#wanted = new WantedRows(follower)
    this.#scoring = new ScoringSlices(follower, pace, say)
    this.#targetSeq = startSeq
  }

  take(request: Exclude<FollowerRequest, { kind: 'stop' }>): void {
    const { follower, say } = this.#parts
    switch (request.kind) {
      case 'project':
        this.#scoring.request(request)
        return
      case 'advance':
        this.#targetSeq = request.seq
        if (!this.#isQueued) this.work()
        return
      case 'want':
        this.#wanted.add(request)
        this.#workSoon()
        return
      case 'snapshot':
        follower.order(request)
        if (!this.#isQueued) this.#takeSnapshot()
        return
      case 'hash':
        say({ kind: 'hash', id: request.id, ...follower.state() })
    }
  }

  work(): void {
    const { follower, pace, startSeq, hashesMinutes, say } = this.#parts
    const targetSeq = this.#targetSeq
    pace.begin(follower.stateSeq < startSeq ? Infinity : targetSeq - follower.stateSeq)
    const isMore = follower.step(targetSeq)
    // A step stops at a due snapshot, so there may be more work after it.
    const goesOn = (this.#takeSnapshot() && follower.stateSeq < targetSeq) || isMore
    if (hashesMinutes && follower.stateSeq > startSeq) {
      const state = follower.takeMinute()
      if (state !== null) say({ kind: 'minute', ...state })
    }
    const hasBacklog = follower.writePage(this.#wanted.owners)
    say({ kind: 'at', ...follower.takeUpdates(), idle: !goesOn })
    const ids = this.#wanted.takeWritten()
    if (ids.length > 0) say({ kind: 'written', ids })
    pace.end()
    this.#scoring.go()
    if (goesOn || hasBacklog) this.#workSoon()
  }

  #workSoon(): void {
    if (this.#isQueued) return
    this.#isQueued = true
    setImmediate(() => {
      this.#isQueued = false
      this.work()
    })
  }

  /** Returns true if a snapshot was due at this seq. */
  #takeSnapshot(): boolean {
    const { follower, say } = this.#parts
    const taken = follower.takeDue()
    if (taken === null) return false
    say({ kind: 'taken' })
    taken.then((saved) => say({ kind: 'saved', ...saved }))
    return true
  }
}
