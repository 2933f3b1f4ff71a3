import { type Accounts, NO_FEE_RATE } from '../../engine/core/accounts.ts'
import type { Seal } from '../../persistence/seal.ts'
import type { ProfileEntry } from './intake-pool.ts'

/**
 * What the intake must know of a profile: who may act for it, its wallets and its fee. Most orders
 * need none of it, so null for a profile that has neither partner nor wallet.
 */
export function taughtProfile(
  accounts: Accounts,
  seal: Seal,
  profileId: number,
): ProfileEntry | null {
  const profile = accounts.byId(profileId)
  const made = accounts.partners.byId(profileId)
  if (profile === undefined) return null
  const { account, smartWallet } = profile
  if (made === undefined && smartWallet === null) return null
  const sealedKey = made?.sealedKey ?? null
  const key = sealedKey === null ? '' : Buffer.from(seal.open(sealedKey)).toString('base64')
  const feeBps = accounts.feeBpsOf(profileId)
  return {
    profileId,
    partnerId: made?.partnerId ?? 0,
    account,
    smartWallet,
    // Without a rate the order is refused for that, whatever it signs.
    feeBps: feeBps === NO_FEE_RATE ? 0 : feeBps,
    keyBase64: key,
    approved: made?.approved ?? [],
  }
}
