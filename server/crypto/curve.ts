/** The functions of a curve library. `recover` gives 65 bytes of public key, or undefined. */
export interface Curve {
  readonly name: string
  recover(hash: Uint8Array, compact: Uint8Array, recovery: number): Uint8Array | undefined
  /** Gives 65 bytes: r, s in the lower half order, recovery id. */
  sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array
  publicKey(privateKey: Uint8Array): Uint8Array
}
