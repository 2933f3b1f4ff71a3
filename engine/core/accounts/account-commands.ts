// Applies commands on profiles, tokens, sessions and sub-accounts.

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import type { ProfileId } from '../../domain/ids.ts'
import type { Accounts } from './accounts.ts'

/** A sub-account that leaves changes all counts that it shares: the clearing applies that. */
type AccountCommand = Exclude<CommandOf<'accounts'>, { kind: 'leavePartner' }>
type Of<Kind extends AccountCommand['kind']> = Extract<AccountCommand, { kind: Kind }>

interface AccountState {
  readonly accounts: Accounts
  readonly ledger: { openAccount(profileId: ProfileId): void }
  readonly blocks: { readonly height: number }
}

export function applyToAccounts(state: AccountState, command: AccountCommand): void {
  const { accounts, ledger, blocks } = state
  switch (command.kind) {
    case 'createProfile':
      ledger.openAccount(command.profileId)
      accounts.createProfile(command.profileId, command.profile, command.nowMs)
      addTokenOf(accounts, command)
      return
    case 'editProfile':
      accounts.editProfile(command.profileId, command.profile)
      addTokenOf(accounts, command)
      return
    case 'createSubAccount':
      createSubAccount(state, command)
      return
    case 'approveSpenders':
      accounts.partners.approve(command.profileId, command.spenders)
      return
    case 'submitApprovals':
      accounts.partners.submit(command.profileId, command.spenders, command.seq)
      return
    case 'settleApprovals':
      assert(command.height === blocks.height, 'approvals go into the newest block')
      accounts.partners.settle(command.profileId, command.isConfirmed)
      return
    case 'createToken':
      accounts.addToken(command.profileId, command.token, command.nowMs)
      return
    case 'revokeToken':
      accounts.revokeToken(command.tokenId)
      return
    case 'revokeTokens':
      for (const { tokenId } of accounts.tokensOf(command.profileId)) {
        accounts.revokeToken(tokenId)
      }
      return
    case 'touchToken':
      accounts.touchToken(command.tokenId, command.nowMs)
      return
    case 'login':
      login(accounts, command)
      return
    case 'logout':
      accounts.logout(command.sessionDigest)
      return
    case 'logoutEverywhere':
      accounts.logoutEverywhere(command.profileId)
      return
    case 'addWithdrawalAddress': {
      const { profileId, addressId, address, label, nowMs: createdMs } = command
      accounts.withdrawalAddresses.add({ profileId, addressId, address, label, createdMs })
      return
    }
    case 'removeWithdrawalAddress':
      accounts.withdrawalAddresses.remove(command.profileId, command.address)
      return
    default:
      command satisfies never
  }
}

function createSubAccount(
  { accounts, ledger }: AccountState,
  command: Of<'createSubAccount'>,
): void {
  const { profileId, partnerId, sealedKey, approved, proof, nowMs } = command
  ledger.openAccount(profileId)
  accounts.createProfile(profileId, command.profile, nowMs)
  if (proof !== null) accounts.burnNonce(proof.nonce, proof.nonceExpiresMs)
  accounts.partners.add({ profileId, partnerId, sealedKey, approved })
}

function addTokenOf(accounts: Accounts, command: Of<'createProfile' | 'editProfile'>): void {
  if (command.token === null) return
  accounts.addToken(command.profileId, command.token, command.nowMs)
}

function login(accounts: Accounts, command: Of<'login'>): void {
  const { sessionDigest: digest, profileId, expiresMs } = command
  const nonce = { text: command.nonce, expiresMs: command.nonceExpiresMs }
  accounts.login({ digest, profileId, expiresMs }, nonce, command.endsOldest)
}
