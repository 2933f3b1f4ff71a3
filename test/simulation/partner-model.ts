// Models profiles, the wallets their money may go to, and who acts for whom, by commands alone.

import assert from 'node:assert/strict'
import type { Command, ProfileChange, ProfileFields } from '../../engine/domain/command.ts'

export interface SubAccountModel {
  readonly partnerId: number
  readonly hasWallet: boolean
  readonly approved: readonly string[]
  /** Approvals that wait for a block. */
  readonly submitted: readonly string[]
}

export class PartnerModel {
  readonly profiles = new Map<number, ProfileFields>()
  readonly subAccounts = new Map<number, SubAccountModel>()
  /** Wallets by the profile that lists them, oldest first. */
  readonly addresses = new Map<number, readonly string[]>()

  copy(): PartnerModel {
    const model = new PartnerModel()
    for (const [profileId, fields] of this.profiles) model.profiles.set(profileId, fields)
    for (const [profileId, made] of this.subAccounts) model.subAccounts.set(profileId, made)
    for (const [profileId, listed] of this.addresses) model.addresses.set(profileId, listed)
    return model
  }

  /** The profile of an address; 0 for none. */
  ownerOf(account: string): number {
    for (const [profileId, fields] of this.profiles) {
      if (fields.account.toLowerCase() === account.toLowerCase()) return profileId
    }
    return 0
  }

  admit(command: Command): void {
    switch (command.kind) {
      case 'createProfile':
        this.profiles.set(command.profileId, command.profile)
        return
      case 'editProfile':
        this.#edit(command.profileId, command.profile)
        return
      case 'createSubAccount':
        this.#create(command)
        return
      case 'leavePartner':
        assert(this.subAccounts.delete(command.profileId), 'a profile leaves the partner it has')
        return
      case 'addWithdrawalAddress':
      case 'removeWithdrawalAddress': {
        const { profileId, address } = command
        const others = (this.addresses.get(profileId) ?? []).filter((each) => each !== address)
        const isAdded = command.kind === 'addWithdrawalAddress'
        this.addresses.set(profileId, isAdded ? [...others, address] : others)
        return
      }
      case 'submitApprovals': {
        const made = this.#wallet(command.profileId)
        assert.deepEqual(made.submitted, [], 'a retry waits for the end of the last one')
        const again = command.spenders.some((each) => made.approved.includes(each))
        assert(!again, 'an approved exchange is not submitted again')
        this.subAccounts.set(command.profileId, { ...made, submitted: command.spenders })
        return
      }
      case 'settleApprovals': {
        const made = this.#wallet(command.profileId)
        assert(made.submitted.length > 0, 'only submitted approvals are settled')
        const confirmed = command.isConfirmed ? made.submitted : []
        const approved = [...made.approved, ...confirmed]
        this.subAccounts.set(command.profileId, { ...made, approved, submitted: [] })
      }
    }
  }

  #wallet(profileId: number): SubAccountModel {
    const made = this.subAccounts.get(profileId)
    assert(made?.hasWallet === true, 'only a server wallet approves')
    return made
  }

  #edit(profileId: number, change: ProfileChange): void {
    const before = this.profiles.get(profileId)
    assert(before !== undefined, 'only an existing profile is edited')
    this.profiles.set(profileId, { ...before, ...change })
  }

  #create(command: Extract<Command, { kind: 'createSubAccount' }>): void {
    const { profileId, partnerId, profile, sealedKey, approved, proof } = command
    assert.equal(this.ownerOf(profile.account), 0, 'an address has one profile')
    const hasWallet = sealedKey !== null
    assert.equal(proof === null, hasWallet, 'a wallet is either kept here or proven')
    assert.deepEqual(profile.rank, this.profiles.get(partnerId)?.rank, 'the rank of its partner')
    this.profiles.set(profileId, profile)
    this.subAccounts.set(profileId, { partnerId, hasWallet, approved, submitted: [] })
  }
}
