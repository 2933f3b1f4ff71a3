// Checks the EIP-55 checksums of addresses in bodies and queries.

import { formatAddress, parseAddress, ZERO_ADDRESS } from '../crypto/address.ts'
import { WRONG_CHECKSUM } from '../edge/http/schema/issue-text.ts'
import { invalid, type Refusal } from '../messages/refusal.ts'

/** The address with its checksum spelling, or the refusal of its field. */
export function checksummed(field: string, given: string): string | Refusal {
  const bytes = parseAddress(given)
  if (bytes !== undefined) return formatAddress(bytes)
  return invalid({ field, message: WRONG_CHECKSUM })
}

export function smartWalletOf(given: string): string | Refusal {
  const wallet = checksummed('smartWallet', given)
  if (wallet !== ZERO_ADDRESS) return wallet
  return invalid({ field: 'smartWallet', message: 'must not be the zero address' })
}
