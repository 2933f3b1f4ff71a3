import type { Address } from 'viem'

/** The key of an account of the chain. */
export interface ChainKey {
  /** As EIP-55 writes it. */
  readonly address: Address
  /** r‖s‖v over a digest of 32 bytes; v is 27 or 28, s in the lower half of the order. */
  sign(digest: Uint8Array): Promise<Uint8Array>
}
