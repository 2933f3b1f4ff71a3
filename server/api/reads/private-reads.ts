// Reads of one profile's data, from the tables that the follower writes. A read waits until the
// tables have applied the newest seq that was published when the read arrived (design §4). Then it
// waits in the fair queue: callers share the time of the query thread by address or partner first,
// then by profile (shareOf), and each profile has a limit of concurrent reads. A read of
// orders that a large command ended also waits for their rows. The deadline is counted from the
// arrival of the read.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { Share } from '../../../engine/thread/fair-queue.ts'
import type { FollowerHandle } from '../../../persistence/follower/follower-handle.ts'
import type { QueryHandle } from '../../../persistence/query/query-handle.ts'
import { OWN_GROUP } from '../../../persistence/query/query-queue.ts'
import { profiles, type ShownProfile } from '../../../persistence/query/read/profiles.ts'
import type { Query } from '../../../persistence/query/read/query.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { Call, CallCharges, Caller } from '../../messages/call.ts'
import type { EdgeFaults } from '../../ops/faults.ts'
import type { WorkFor } from './sliced-work.ts'

/** The profile whose share a read uses; 0 is the exchange itself, and addresses are negative. */
export interface Requester {
  readonly profileId: ProfileId
  readonly isGone?: () => boolean
  /** The key of its address; absent or '' for a call whose address is not tracked. */
  readonly address?: string
  /** A separate group, for reads that share one limit, whoever makes them. */
  readonly group?: string
  /** Charged with the time of its reads. */
  readonly charges?: CallCharges | undefined
}

/** A call uses the share of its caller, even when it is about another profile. */
export function requesterOf({ caller, call }: { caller: Caller; call: Call }): Requester {
  const { addressKey: address, charges } = call
  return { profileId: caller.profileId, isGone: () => call.isGone === true, address, charges }
}

/** Callers without a profile share one queue. */
export const ANYBODY: Requester = { profileId: -1 }

const FNV_START = 0x811c9dc5
const FNV_PRIME = 0x01000193

/**
 * An unknown caller uses the share of its address, so that one address cannot delay the others. Two
 * addresses may have the same key, which only costs them time.
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

/** A read that waited for a snapshot has a separate deadline for the query. */
export function queryUntil(untilMs: number): number {
  const nowMs = performance.now()
  return nowMs < untilMs ? untilMs : nowMs + LIMITS.privateReadDeadlineMs
}

export class PrivateReads {
  readonly #pipeline: Pipeline
  readonly #follower: FollowerHandle
  readonly #query: QueryHandle
  readonly #faults: EdgeFaults
  /** The number of running reads per profile; a profile without any has no entry. */
  readonly #underWay = new Map<number, number>()

  constructor(pipeline: Pipeline, { follower, query, faults }: PrivateReadParts) {
    this.#pipeline = pipeline
    this.#follower = follower
    this.#query = query
    this.#faults = faults
  }

  /**
   * Queries the tables. Returns undefined when they did not catch up or reply in time, or when the
   * requester has too many running reads. Throws when the query made its thread fail.
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
   * Reads for a frame. No call waits for the result, so a fault is counted here and the frame is
   * omitted.
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
   * The profile as stored in the tables; null when there is none, undefined on a read timeout. A
   * login waits for it, so it is queued before other reads.
   */
  async profile(profileId: ProfileId): Promise<ShownProfile | null | undefined> {
    // The profile may be new, from a command that is not durable yet.
    await this.#pipeline.durable()
    return (await this.read(profiles, [profileId], { profileId }, true))?.[0]
  }
}

// Divides the query thread's and main's sliced work among callers. Profiles cost nothing to create,
// so work is grouped by address first, and by partner for all of its sub-accounts.

interface By {
  readonly profileId: ProfileId
  readonly address?: string
  readonly group?: string
}

interface WorkCaller extends By {
  readonly isGone?: () => boolean
  readonly charges?: CallCharges | undefined
}

/**
 * A partner acts for its sub-accounts from its own servers, and they may call from anywhere. A
 * profile whose address is not tracked is a separate group.
 */
export function shareOf(by: By, partners: PartnerNames): Share {
  const { profileId, address = '', group } = by
  if (group !== undefined) return { group, owner: profileId }
  if (profileId === 0) return { group: OWN_GROUP, owner: profileId }
  const partnerId = partnerOf(profileId, partners)
  if (partnerId !== null) return { group: `partner ${partnerId}`, owner: profileId }
  return { group: address === '' ? `profile ${profileId}` : address, owner: profileId }
}

/** Finds the partner of a profile, and the profiles that a partner created. */
interface PartnerNames {
  byId(profileId: ProfileId): { readonly partnerId: ProfileId } | undefined
  ofPartner(partnerId: ProfileId): readonly ProfileId[]
}

/** The partner whose share a profile uses; a partner uses its own. Null for neither. */
function partnerOf(profileId: ProfileId, partners: PartnerNames): ProfileId | null {
  const known = partners.byId(profileId)
  if (known !== undefined) return known.partnerId
  return partners.ofPartner(profileId).length > 0 ? profileId : null
}

/** The caller that main's sliced work is done for, and the account that is charged. */
export function workFor(caller: WorkCaller, { clearing }: Pipeline): WorkFor {
  const { isGone, charges } = caller
  return {
    share: shareOf(caller, clearing.accounts.partners),
    onTook: (ms) => charges?.mainTook(ms),
    ...(isGone === undefined ? {} : { isGone }),
  }
}
