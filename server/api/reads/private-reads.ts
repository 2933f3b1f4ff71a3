// Reads of what one profile owns, from the tables that the follower writes. A read waits until the
// tables have applied the newest seq that was told to anyone when the read came (design §4). Then
// it waits for its turn: callers share the time of the query thread by address or partner first,
// then by profile (fair-shares.ts), and each profile has a bound on its reads under way. A read of
// orders that a large command ended waits for their rows as well. The deadline runs from the moment
// when the read came.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { FollowerHandle } from '../../../persistence/follower/follower-handle.ts'
import type { QueryHandle } from '../../../persistence/query/query-handle.ts'
import { profiles, type ShownProfile } from '../../../persistence/query/read/profiles.ts'
import type { Query } from '../../../persistence/query/read/query.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { Call, CallCharges, Caller } from '../../messages/call.ts'
import type { EdgeFaults } from '../../ops/faults.ts'
import { shareOf } from './fair-shares.ts'

/** The profile whose turn a read takes; 0 is the exchange itself, and addresses are below 0. */
export interface Requester {
  readonly profileId: ProfileId
  readonly isGone?: () => boolean
  /** The key of its address; absent or '' for a call whose address is not counted. */
  readonly address?: string
  /** A group of its own, for reads that are bounded together, whoever asks them. */
  readonly group?: string
  /** Pays for the time that its reads take. */
  readonly charges?: CallCharges | undefined
}

/** A call takes the turn of its caller, even when it is about another profile. */
export function requesterOf({ caller, call }: { caller: Caller; call: Call }): Requester {
  const { addressKey: address, charges } = call
  return { profileId: caller.profileId, isGone: () => call.isGone === true, address, charges }
}

/** Callers without a profile take turns as one. */
export const ANYBODY: Requester = { profileId: -1 }

const FNV_START = 0x811c9dc5
const FNV_PRIME = 0x01000193

/**
 * An unknown caller takes the turn of its address, so that one address cannot hold up the others.
 * Two addresses may share a turn: that costs them time, and nothing else.
 */
export function publicRequester(call: Pick<Call, 'addressKey' | 'isGone' | 'charges'>): Requester {
  const { addressKey = '', charges } = call
  const isGone = () => call.isGone === true
  if (addressKey === '') return { ...ANYBODY, isGone, charges }
  let hash = FNV_START
  for (let at = 0; at < addressKey.length; at++) {
    hash = Math.imul(hash ^ addressKey.charCodeAt(at), FNV_PRIME)
  }
  const profileId = ANYBODY.profileId - 1 - (hash >>> 1)
  return { profileId, isGone, address: addressKey, charges }
}

function underWayMax(profileId: ProfileId): number {
  return profileId < ANYBODY.profileId ? LIMITS.readsPerAddressMax : LIMITS.readsPerProfileMax
}

interface PrivateReadParts {
  readonly follower: FollowerHandle
  readonly query: QueryHandle
  readonly faults: EdgeFaults
}

const OURSELVES: Requester = { profileId: 0 }

/** A read that waited for a snapshot has its own time for the query. */
export function queryUntil(untilMs: number): number {
  const nowMs = performance.now()
  return nowMs < untilMs ? untilMs : nowMs + LIMITS.privateReadDeadlineMs
}

export class PrivateReads {
  readonly #pipeline: Pipeline
  readonly #follower: FollowerHandle
  readonly #query: QueryHandle
  readonly #faults: EdgeFaults
  /** How many reads of each profile are under way; a profile with none has no entry. */
  readonly #underWay = new Map<number, number>()

  constructor(pipeline: Pipeline, { follower, query, faults }: PrivateReadParts) {
    this.#pipeline = pipeline
    this.#follower = follower
    this.#query = query
    this.#faults = faults
  }

  /**
   * Asks the tables. Gives undefined when they did not catch up or did not answer in time, or when
   * the asker has too many reads under way. Throws when the question broke its thread.
   */
  async read<Requested, Answer>(
    query: Query<Requested, Answer>,
    requested: Requested,
    requester: Requester = OURSELVES,
    isPrompt = false,
  ): Promise<Answer | undefined> {
    const { profileId, isGone } = requester
    const untilMs = performance.now() + LIMITS.privateReadDeadlineMs
    const others = this.#underWay.get(profileId) ?? 0
    if (profileId !== 0 && others >= underWayMax(profileId)) return undefined
    this.#underWay.set(profileId, others + 1)
    try {
      const seq = this.#pipeline.durableSeq
      if (!(await this.#follower.whenApplied(seq, LIMITS.privateReadDeadlineMs))) return undefined
      const share = shareOf(requester, this.#pipeline.clearing.accounts.partners)
      const onTook = (ms: number) => requester.charges?.queryTook(ms)
      const slice = { ...share, untilMs: queryUntil(untilMs), isGone, isPrompt, onTook }
      return await this.#query.request(query, requested, slice)
    } finally {
      const left = (this.#underWay.get(profileId) ?? 1) - 1
      if (left > 0) this.#underWay.set(profileId, left)
      else this.#underWay.delete(profileId)
    }
  }

  /**
   * Reads for a frame. No call waits for the answer, so a fault is counted here and the frame is
   * left out.
   */
  readForFrame<Requested, Answer>(
    query: Query<Requested, Answer>,
    requested: Requested,
    requester?: Requester,
  ): Promise<Answer | undefined> {
    return this.read(query, requested, requester).catch((error: unknown) => {
      this.#faults.note('query', error)
      return undefined
    })
  }

  /**
   * The profile as the tables show it; null when there is none, undefined when there is no answer
   * in time. A login waits for it, so it goes before the reads of everybody.
   */
  async profile(profileId: ProfileId): Promise<ShownProfile | null | undefined> {
    // The profile may have been made just now, by a command that is not durable yet.
    await this.#pipeline.durable()
    return (await this.read(profiles, [profileId], { profileId }, true))?.[0]
  }
}
