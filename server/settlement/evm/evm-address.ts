import type { Address } from 'viem'
import { formatAddress } from '../../crypto/address.ts'

/** The EIP-55 text of twenty bytes, as viem takes it. */
export function evmAddress(bytes: Uint8Array): Address {
  return `0x${formatAddress(bytes).slice(2)}`
}
