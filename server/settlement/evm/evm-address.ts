import type { Address } from 'viem'
import { assert } from '../../../engine/domain/assert.ts'
import { formatAddress, parseAddress } from '../../crypto/address.ts'

/** The EIP-55 text of twenty bytes, as viem takes it. */
export function evmAddress(bytes: Uint8Array): Address {
  return `0x${formatAddress(bytes).slice(2)}`
}

/** The EIP-55 text of an address that was checked when it came in. */
export function checkedAddress(text: string): Address {
  const bytes = parseAddress(text)
  assert(bytes !== undefined, 'the exchange keeps no text that is no address')
  return evmAddress(bytes)
}
