// Where a profile may send its money besides its own addresses (rules §12.1). Only
// commands change it; one thread writes. Invariant: a profile lists an address once.

import { assert } from '../../domain/assert.ts'
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

  /** Those of a profile, oldest first. */
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
  }

  remove(profileId: ProfileId, address: string): void {
    const removed = this.find(profileId, address)
    assert(removed !== undefined, 'only a listed address is removed')
    const rest = this.of(profileId).filter((each) => each !== removed)
    if (rest.length === 0) this.#ofProfile.delete(profileId)
    else this.#ofProfile.set(profileId, rest)
  }

  /** Everything that counts as state, for the state hash; nothing while there is none. */
  *facts(): Iterable<unknown> {
    for (const { profileId, addressId, address, label, createdMs } of this.capture()) {
      yield ['withdrawalAddress', profileId, addressId, address, label, createdMs]
    }
  }

  /** By rising profile id: which profile listed one first is no state. */
  capture(): readonly WithdrawalAddress[] {
    const lists = [...this.#ofProfile].sort(([a], [b]) => a - b)
    return lists.flatMap(([, listed]) => listed)
  }

  restore(captured: readonly WithdrawalAddress[]): void {
    assert(this.#ofProfile.size === 0, 'only a fresh state is restored')
    for (const added of captured) this.add(added)
  }
}
