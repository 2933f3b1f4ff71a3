// Addresses of bodies and queries, once their checksums are right.

import { formatAddress, parseAddress, ZERO_ADDRESS } from '../crypto/address.ts'
import { invalid, type Refusal } from '../http/refusal.ts'

/** The address as it is shown, or the refusal of its field. */
export function checksummed(field: string, given: string): string | Refusal {
  const bytes = parseAddress(given)
  if (bytes !== undefined) return formatAddress(bytes)
  return invalid({ field, message: 'has a wrong EIP-55 checksum' })
}

export function smartWalletOf(given: string): string | Refusal {
  const wallet = checksummed('smartWallet', given)
  if (wallet !== ZERO_ADDRESS) return wallet
  return invalid({ field: 'smartWallet', message: 'must not be the zero address' })
}
