// What passes between the intake and the thread of the chain about wallets that are contracts.

/** The contract that makes a wallet for each owner, and the code that these share; EIP-55. */
export interface WalletCode {
  readonly factory: string
  readonly implementation: string
}

/** Whether a wallet accepts a signature as its own (EIP-1271). */
export interface WalletQuery {
  readonly wallet: Uint8Array
  readonly hash: Uint8Array
  readonly signature: Uint8Array
}

/** Silent: the chain did not answer in time. */
export type WalletAnswer = 'accepts' | 'refuses' | 'silent'

export type QueryWallet = (query: WalletQuery) => Promise<WalletAnswer>
