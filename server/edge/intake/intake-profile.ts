import { type Accounts, NO_FEE_RATE } from '../../../engine/core/accounts/accounts.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { type Seal, walletKeyOf } from '../../../persistence/seal.ts'
import type { ProfileEntry } from './core-intake.ts'

function openedKey(seal: Seal, sealedKey: Uint8Array, profileId: ProfileId): string {
  return Buffer.from(seal.open(sealedKey, walletKeyOf(profileId))).toString('base64')
}

/** Only orders use a wallet besides the account, and orders need a token. */
function isIdle(accounts: Accounts, profileId: ProfileId): boolean {
  return !accounts.hasSmartWallet(profileId) || accounts.tokensOf(profileId).length === 0
}

/**
 * The part of a profile that the intake needs: its partner, its wallets and its fee. Most orders
 * need none of it, so the result is null for a profile without partner and wallet.
 */
export function intakeProfile(
  accounts: Accounts,
  seal: Seal,
  profileId: ProfileId,
): ProfileEntry | null {
  const made = accounts.partners.byId(profileId)
  if (made === undefined && isIdle(accounts, profileId)) return null
  const profile = accounts.byId(profileId)
  if (profile === undefined) return null
  const { account, smartWallet } = profile
  const sealedKey = made?.sealedKey ?? null
  const key = sealedKey === null ? '' : openedKey(seal, sealedKey, profileId)
  const feeBps = accounts.feeBpsOf(profileId)
  return {
    profileId,
    partnerId: made?.partnerId ?? 0,
    account,
    smartWallet,
    // An order of a profile without a rate is refused for that, whatever rate it signs.
    feeBps: feeBps === NO_FEE_RATE ? 0 : feeBps,
    keyBase64: key,
    approved: made?.approved ?? [],
  }
}
