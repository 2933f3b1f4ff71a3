// Listed withdrawal addresses of profiles, in addition to their own (rules §12.1). Only commands
// change them; one thread writes. Invariants: a profile lists an address once; `owners` counts the
// addresses of each profile.

import { assert } from '../../domain/assert.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { ProfileId } from '../../domain/ids.ts'
import type { TimeMs } from '../../domain/units.ts'

export interface WithdrawalAddress {
  readonly profileId: ProfileId
  /** UUIDv4 text. */
  readonly addressId: string
  /** EIP-55 text. */
  readonly address: string
  readonly label: string
  readonly createdMs: TimeMs
}

const NONE: readonly WithdrawalAddress[] = []

export class WithdrawalAddresses {
  readonly #ofProfile = new Map<number, readonly WithdrawalAddress[]>()
  readonly owners: OwnerCounts

  constructor(shareOwnerOf: ShareOwnerOf) {
    this.owners = new OwnerCounts(shareOwnerOf)
  }

  /** The addresses of a profile, oldest first. */
  of(profileId: ProfileId): readonly WithdrawalAddress[] {
    return this.#ofProfile.get(profileId) ?? NONE
  }

  find(profileId: ProfileId, address: string): WithdrawalAddress | undefined {
    const wanted = address.toLowerCase()
    return this.of(profileId).find((each) => each.address.toLowerCase() === wanted)
  }

  add(added: WithdrawalAddress): void {
    const { profileId, address } = added
    assert(this.find(profileId, address) === undefined, 'a profile lists an address once')
    this.#ofProfile.set(profileId, [...this.of(profileId), added])
    this.owners.add(profileId, 1)
  }

  remove(profileId: ProfileId, address: string): void {
    const removed = this.find(profileId, address)
    assert(removed !== undefined, 'only a listed address is removed')
    const rest = this.of(profileId).filter((each) => each !== removed)
    this.owners.add(profileId, -1)
    if (rest.length === 0) this.#ofProfile.delete(profileId)
    else this.#ofProfile.set(profileId, rest)
  }

  /** The full state, for the state hash; empty if no address is listed. */
  *hashedFields(): Iterable<unknown> {
    for (const { profileId, addressId, address, label, createdMs } of this.capture()) {
      yield ['withdrawalAddress', profileId, addressId, address, label, createdMs]
    }
  }

  /**
   * By ascending profile id: the order in which profiles listed addresses is not part of the state.
   */
  capture(): readonly WithdrawalAddress[] {
    const lists = [...this.#ofProfile].sort(([a], [b]) => a - b)
    return lists.flatMap(([, listed]) => listed)
  }

  restore(captured: readonly WithdrawalAddress[]): void {
    assert(this.#ofProfile.size === 0, 'only a fresh state is restored')
    for (const added of captured) this.add(added)
  }
}
