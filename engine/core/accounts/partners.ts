// Sub-accounts that partners made and act for (rules §12.1). Only commands change them; one thread
// writes. Invariants: a sub-account has one partner until it leaves, and never gets another one; an
// approval stays.

import { assert } from '../../domain/assert.ts'
import type { ProfileId, Seq } from '../../domain/ids.ts'
import type { ApprovalStatus } from '../../domain/moves/settlement.ts'
import { type ShareMove, ShareOwners } from '../cells/shared-counts.ts'

export interface SubAccount {
  readonly profileId: ProfileId
  readonly partnerId: ProfileId
  /**
   * The key of the server wallet, sealed under the server key; null for a wallet that signs for
   * itself.
   */
  readonly sealedKey: Uint8Array | null
  /** Addresses that may move what the server wallet holds, in the order of their approval. */
  readonly approved: readonly string[]
  /**
   * Approvals that wait for a block, and approvals that a block should have confirmed and did not.
   */
  readonly submitted: readonly string[]
  readonly failed: readonly string[]
}

/** A sub-account as a command makes it. */
export type NewSubAccount = Omit<SubAccount, 'submitted' | 'failed'>

export interface CapturedPartners {
  readonly subAccounts: readonly SubAccount[]
  /** Profile and seq of each submission that waits for a block, oldest first. */
  readonly submittedSeqs: readonly (readonly [profileId: ProfileId, seq: Seq])[]
}

const NO_SPENDERS: readonly string[] = []
const NONE: readonly number[] = []

export class Partners {
  readonly #byProfile = new Map<number, SubAccount>()
  readonly #ofPartner = new Map<number, number[]>()
  /** Whose shares of tables the rows of a profile count for. */
  readonly shareOwners = new ShareOwners()
  /** Seq of the newest submission of each profile that has one, oldest first. */
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
   * The sub-account has no partner from now on. Its own sub-accounts stay with it, so their rows
   * count for it.
   */
  leave(profileId: ProfileId): ShareMove {
    const made = this.#byProfile.get(profileId)
    assert(made !== undefined && made.sealedKey === null, 'only a self-custodial one leaves')
    const from = this.shareOwners.of(profileId)
    this.#byProfile.delete(profileId)
    const siblings = this.ofPartner(made.partnerId).filter((each) => each !== profileId)
    if (siblings.length === 0) this.#ofPartner.delete(made.partnerId)
    else this.#ofPartner.set(made.partnerId, siblings)
    const members = [profileId]
    // The list grows while it is read: sub-accounts may have sub-accounts.
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

  /** Approvals wait for a block from `seq` on. A failed approval may be submitted again. */
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
    // Keeps the newest last, also when a profile submits again.
    this.#submittedSeq.delete(profileId)
    this.#submittedSeq.set(profileId, seq)
  }

  settle(profileId: ProfileId, isConfirmed: boolean): void {
    const known = this.#wallet(profileId)
    const { submitted } = known
    assert(this.#submittedSeq.delete(profileId), 'only what was submitted is settled')
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

  /** Profiles whose approvals were all submitted by `throughSeq`, in the order of submission. */
  submittedBy(throughSeq: Seq): number[] {
    if (this.#submittedSeq.size === 0) return []
    return [...this.#submittedSeq].flatMap(([id, seq]) => (seq <= throughSeq ? [id] : []))
  }

  byId(profileId: ProfileId): SubAccount | undefined {
    return this.#byProfile.get(profileId)
  }

  /**
   * Whose share of a table the rows of a profile count for too: the partner of a sub-account, else
   * the profile itself. A sub-account that is a partner counts for its own partner.
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
   * For the state hash. A key counts as present or absent: its sealed bytes change with the nonce.
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
