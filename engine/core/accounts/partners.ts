// Sub-accounts that partners created and act for (rules §12.1). Only commands change them; one
// thread writes. Invariants: a sub-account has one partner until it leaves, and never gets another;
// approvals are permanent.

import { assert } from '../../domain/assert.ts'
import type { ProfileId, Seq } from '../../domain/ids.ts'
import type { ApprovalStatus } from '../../domain/moves/move-command.ts'
import { type ShareMove, ShareOwners } from '../cells/shared-counts.ts'

export interface SubAccount {
  readonly profileId: ProfileId
  readonly partnerId: ProfileId
  /**
   * The key of the server wallet, sealed under the server key; null if the wallet signs for itself.
   */
  readonly sealedKey: Uint8Array | null
  /** Addresses allowed to move the server wallet's funds, in order of approval. */
  readonly approved: readonly string[]
  /** Approvals waiting for a block, and approvals that a block failed to confirm. */
  readonly submitted: readonly string[]
  readonly failed: readonly string[]
}

/** A sub-account as created by a command. */
export type NewSubAccount = Omit<SubAccount, 'submitted' | 'failed'>

export interface CapturedPartners {
  readonly subAccounts: readonly SubAccount[]
  /** Profile and seq of each submission waiting for a block, oldest first. */
  readonly submittedSeqs: readonly (readonly [profileId: ProfileId, seq: Seq])[]
}

const NO_SPENDERS: readonly string[] = []
const NONE: readonly number[] = []

export class Partners {
  readonly #byProfile = new Map<number, SubAccount>()
  readonly #ofPartner = new Map<number, number[]>()
  /** The accounts for whose table shares a profile's rows count. */
  readonly shareOwners = new ShareOwners()
  /** Seq of the newest submission of each profile with one, oldest first. */
  readonly #submittedSeq = new Map<number, number>()

  add(made: NewSubAccount): void {
    this.#add({ ...made, submitted: NO_SPENDERS, failed: NO_SPENDERS })
  }

  #add(made: SubAccount): void {
    assert(!this.#byProfile.has(made.profileId), 'a sub-account has one partner')
    assert(made.profileId !== made.partnerId, 'no profile is its own partner')
    this.#byProfile.set(made.profileId, made)
    this.shareOwners.add(made.profileId, made.partnerId)
    const siblings = this.#ofPartner.get(made.partnerId)
    if (siblings === undefined) this.#ofPartner.set(made.partnerId, [made.profileId])
    else siblings.push(made.profileId)
  }

  /**
   * Detaches a sub-account from its partner. It keeps its own sub-accounts, so their rows count for
   * it.
   */
  leave(profileId: ProfileId): ShareMove {
    const made = this.#byProfile.get(profileId)
    assert(
      made !== undefined && made.sealedKey === null,
      'only a self-custodial sub-account leaves',
    )
    const from = this.shareOwners.of(profileId)
    this.#byProfile.delete(profileId)
    const siblings = this.ofPartner(made.partnerId).filter((each) => each !== profileId)
    if (siblings.length === 0) this.#ofPartner.delete(made.partnerId)
    else this.#ofPartner.set(made.partnerId, siblings)
    const members = [profileId]
    // The list grows during iteration, because sub-accounts may have sub-accounts.
    for (const each of members) {
      this.shareOwners.put(each, profileId)
      for (const below of this.ofPartner(each)) members.push(below)
    }
    return { members, from, to: profileId }
  }

  approve(profileId: ProfileId, spenders: readonly string[]): void {
    const known = this.#wallet(profileId)
    const fresh = spenders.filter((each) => !known.approved.includes(each))
    this.#byProfile.set(profileId, { ...known, approved: [...known.approved, ...fresh] })
  }

  /** The approvals wait for a block from `seq` on. A failed approval may be submitted again. */
  submit(profileId: ProfileId, spenders: readonly string[], seq: Seq): void {
    const known = this.#wallet(profileId)
    const taken = [...known.approved, ...known.submitted]
    assert(
      spenders.every((each) => !taken.includes(each)),
      'an approval is submitted once',
    )
    this.#byProfile.set(profileId, {
      ...known,
      submitted: [...known.submitted, ...spenders],
      failed: known.failed.filter((each) => !spenders.includes(each)),
    })
    // Keeps the newest submission last, including repeated ones.
    this.#submittedSeq.delete(profileId)
    this.#submittedSeq.set(profileId, seq)
  }

  settle(profileId: ProfileId, isConfirmed: boolean): void {
    const known = this.#wallet(profileId)
    const { submitted } = known
    assert(this.#submittedSeq.delete(profileId), 'only submitted approvals are settled')
    this.#byProfile.set(profileId, {
      ...known,
      submitted: NO_SPENDERS,
      ...(isConfirmed
        ? { approved: [...known.approved, ...submitted] }
        : { failed: [...known.failed, ...submitted] }),
    })
  }

  #wallet(profileId: ProfileId): SubAccount {
    const known = this.#byProfile.get(profileId)
    assert(known !== undefined && known.sealedKey !== null, 'a server wallet approves')
    return known
  }

  statusOf({ approved, submitted, failed }: SubAccount, spender: string): ApprovalStatus {
    if (approved.includes(spender)) return 'confirmed'
    if (submitted.includes(spender)) return 'submitted'
    return failed.includes(spender) ? 'failed' : 'missing'
  }

  get submittedCount(): number {
    return this.#submittedSeq.size
  }

  /** Profiles whose approvals were all submitted by `throughSeq`, in order of submission. */
  submittedBy(throughSeq: Seq): number[] {
    if (this.#submittedSeq.size === 0) return []
    return [...this.#submittedSeq].flatMap(([id, seq]) => (seq <= throughSeq ? [id] : []))
  }

  /** The command of its submitted approvals. */
  submittedSeqOf(profileId: ProfileId): Seq {
    return this.#submittedSeq.get(profileId) ?? 0
  }

  byId(profileId: ProfileId): SubAccount | undefined {
    return this.#byProfile.get(profileId)
  }

  /**
   * The account for whose table share a profile's rows also count: a sub-account's partner,
   * otherwise the profile itself. A sub-account that is a partner counts for its own partner.
   */
  readonly shareOwnerOf = (profileId: ProfileId): ProfileId => this.shareOwners.of(profileId)

  /** Profile ids of a partner's sub-accounts, oldest first. */
  ofPartner(partnerId: ProfileId): readonly number[] {
    return this.#ofPartner.get(partnerId) ?? NONE
  }

  all(): Iterable<SubAccount> {
    return this.#byProfile.values()
  }

  /**
   * For the state hash. A key counts only as present or absent, because its sealed bytes depend on
   * the nonce.
   */
  *hashedFields(): Iterable<unknown> {
    for (const made of this.#byProfile.values()) {
      const { profileId, partnerId, sealedKey, approved, submitted, failed } = made
      yield ['subAccount', profileId, partnerId, sealedKey !== null, approved]
      if (submitted.length + failed.length === 0) continue
      yield ['approvals', profileId, this.#submittedSeq.get(profileId) ?? 0, submitted, failed]
    }
  }

  capture(): CapturedPartners {
    return {
      subAccounts: [...this.#byProfile.values()],
      submittedSeqs: [...this.#submittedSeq],
    }
  }

  restore({ subAccounts, submittedSeqs }: CapturedPartners): void {
    assert(this.#byProfile.size === 0, 'only a fresh state is restored')
    for (const made of subAccounts) this.#add(made)
    for (const [profileId, seq] of submittedSeqs) this.#submittedSeq.set(profileId, seq)
  }
}
