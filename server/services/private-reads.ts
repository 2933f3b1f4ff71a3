// Reads of what one profile owns, from the tables the follower writes. Each waits until the
// tables show the newest seq that was told to anyone when it came (design §4), and then for its
// turn: profiles take turns, and none has more reads under way than its bound. The deadline runs
// from the moment it came.

import type { ProfileId } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import type { FollowerHandle } from '../../persistence/follower/follower-handle.ts'
import type { QueryHandle } from '../../persistence/query/query-handle.ts'
import { profiles, type ShownProfile } from '../../persistence/query/read/profiles.ts'
import type { Query } from '../../persistence/query/read/query.ts'
import type { Call, Caller } from '../http/call.ts'
import type { EdgeFaults } from '../ops/faults.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'

/** Whose turn a read takes: a profile's, or with 0 the exchange's own. */
export interface Asker {
  readonly profileId: ProfileId
  readonly isGone?: () => boolean
}

/** The turn of who makes a call, whomever the call is for. */
export function askerOf({ caller, call }: { caller: Caller; call: Call }): Asker {
  return { profileId: caller.profileId, isGone: () => call.isGone === true }
}

interface PrivateReadParts {
  readonly follower: FollowerHandle
  readonly query: QueryHandle
  readonly faults: EdgeFaults
}

const OURSELVES: Asker = { profileId: 0 }

export class PrivateReads {
  readonly #pipeline: Pipeline
  readonly #follower: FollowerHandle
  readonly #query: QueryHandle
  readonly #faults: EdgeFaults
  /** Reads under way, of each profile that has some. */
  readonly #underWay = new Map<number, number>()

  constructor(pipeline: Pipeline, { follower, query, faults }: PrivateReadParts) {
    this.#pipeline = pipeline
    this.#follower = follower
    this.#query = query
    this.#faults = faults
  }

  /**
   * Asks the tables. Undefined when they did not catch up or did not answer in time, or when the
   * asker has too many reads under way; throws when the question broke its thread.
   */
  async read<Asked, Answer>(
    query: Query<Asked, Answer>,
    asked: Asked,
    { profileId, isGone }: Asker = OURSELVES,
  ): Promise<Answer | undefined> {
    const untilMs = performance.now() + LIMITS.privateReadDeadlineMs
    const others = this.#underWay.get(profileId) ?? 0
    if (profileId !== 0 && others >= LIMITS.readsPerProfileMax) return undefined
    this.#underWay.set(profileId, others + 1)
    try {
      const seq = this.#pipeline.durableSeq
      if (!(await this.#follower.whenApplied(seq, LIMITS.privateReadDeadlineMs))) return undefined
      return await this.#query.ask(query, asked, { owner: profileId, untilMs, isGone })
    } finally {
      const left = (this.#underWay.get(profileId) ?? 1) - 1
      if (left > 0) this.#underWay.set(profileId, left)
      else this.#underWay.delete(profileId)
    }
  }

  /** For a frame: no call waits for it, so a fault is counted here, and the frame is left out. */
  readForFrame<Asked, Answer>(
    query: Query<Asked, Answer>,
    asked: Asked,
    asker?: Asker,
  ): Promise<Answer | undefined> {
    return this.read(query, asked, asker).catch((error: unknown) => {
      this.#faults.note('query', error)
      return undefined
    })
  }

  /** What the profile says of itself; null for none, undefined for no answer in time. */
  async profile(profileId: ProfileId): Promise<ShownProfile | null | undefined> {
    // It may have been made just now.
    await this.#pipeline.durable()
    return (await this.read(profiles, [profileId], { profileId }))?.[0]
  }
}
