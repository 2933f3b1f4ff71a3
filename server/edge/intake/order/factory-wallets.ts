import { keccak256 } from '../../../crypto/keccak.ts'
import type { WalletCode } from '../../../messages/wallet-signature.ts'

// The addresses of wallets of `WalletFactory` (server/settlement/evm/contracts/Wallets.sol), which
// are known before a wallet exists: CREATE2 of a minimal proxy (EIP-1167), salted by its owner.

const PROXY_HEAD = '3d602d80600a3d3981f3363d3d373d3d3d363d73'
const PROXY_END = '5af43d82803e903d91602b57fd5bf3'
const CREATE2 = Buffer.of(0xff)
const ADDRESS_AT = 12

export class FactoryWallets {
  readonly #factory: Buffer
  readonly #code: Buffer

  constructor({ factory, implementation }: WalletCode) {
    this.#factory = Buffer.from(factory.slice(2), 'hex')
    this.#code = Buffer.from(PROXY_HEAD + implementation.slice(2) + PROXY_END, 'hex')
  }

  /** The wallet of an owner. */
  of(owner: Uint8Array): Uint8Array {
    const word = Buffer.alloc(32)
    word.set(owner, ADDRESS_AT)
    const salt = keccak256(word)
    const bytes = Buffer.concat([CREATE2, this.#factory, salt, keccak256(this.#code)])
    return keccak256(bytes).subarray(ADDRESS_AT)
  }
}
