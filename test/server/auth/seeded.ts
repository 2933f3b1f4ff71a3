// Seeded randomness for tests: the seed is printed, and SEED=… takes it back.

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`SEED=${SEED}`)

export interface Seeded {
  /** An integer in 0 … limit − 1. */
  below(limit: number): number
  bytes(length: number): Uint8Array
}

/** mulberry32 */
export function seeded(): Seeded {
  let state = SEED | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    below: (limit) => Math.floor(next() * limit),
    bytes: (length) => Uint8Array.from({ length }, () => Math.floor(next() * 256)),
  }
}
