/** The functions of a curve library. `recover` returns 65 bytes of public key, or undefined. */
export interface Curve {
  readonly name: string
  recover(hash: Uint8Array, compact: Uint8Array, recovery: number): Uint8Array | undefined
  /** Returns 65 bytes: r, s in the lower half of the order, recovery id. */
  sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array
  publicKey(privateKey: Uint8Array): Uint8Array
}
