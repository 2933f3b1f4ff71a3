// Accounts that partners made and act for (domain §12.1). Only commands change them; one thread
// writes. Invariant: a sub-account has one partner for ever, and what it approved stays approved.

import { assert } from '../domain/assert.ts'

export interface SubAccount {
  readonly profileId: number
  readonly partnerId: number
  /** Key of the server wallet under the server key; null for a wallet that signs for itself. */
  readonly sealedKey: Uint8Array | null
  /** Addresses that may move what the server wallet holds, in the order they were approved. */
  readonly approved: readonly string[]
}

const NONE: readonly number[] = []

export class Partners {
  readonly #byProfile = new Map<number, SubAccount>()
  readonly #ofPartner = new Map<number, number[]>()

  add(made: SubAccount): void {
    assert(!this.#byProfile.has(made.profileId), 'a sub-account has one partner')
    assert(made.profileId !== made.partnerId, 'nobody is a partner of its own')
    this.#byProfile.set(made.profileId, made)
    const siblings = this.#ofPartner.get(made.partnerId)
    if (siblings === undefined) this.#ofPartner.set(made.partnerId, [made.profileId])
    else siblings.push(made.profileId)
  }

  approve(profileId: number, spenders: readonly string[]): void {
    const known = this.#byProfile.get(profileId)
    assert(known !== undefined && known.sealedKey !== null, 'a server wallet approves')
    const fresh = spenders.filter((each) => !known.approved.includes(each))
    this.#byProfile.set(profileId, { ...known, approved: [...known.approved, ...fresh] })
  }

  byId(profileId: number): SubAccount | undefined {
    return this.#byProfile.get(profileId)
  }

  /** Profile ids of a partner's sub-accounts, oldest first. */
  ofPartner(partnerId: number): readonly number[] {
    return this.#ofPartner.get(partnerId) ?? NONE
  }

  all(): Iterable<SubAccount> {
    return this.#byProfile.values()
  }

  /** For the state hash: that there is a key counts, not under which nonce it is sealed. */
  *facts(): Iterable<unknown> {
    for (const { profileId, partnerId, sealedKey, approved } of this.#byProfile.values()) {
      yield ['subAccount', profileId, partnerId, sealedKey !== null, approved]
    }
  }

  capture(): readonly SubAccount[] {
    return [...this.#byProfile.values()]
  }

  restore(captured: readonly SubAccount[]): void {
    assert(this.#byProfile.size === 0, 'only a fresh state is restored')
    for (const made of captured) this.add(made)
  }
}
