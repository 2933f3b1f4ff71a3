import { Random } from '../../support/random.ts'

// Seeded randomness for bytes: the seed is printed, and SEED=… takes it back.

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`SEED=${SEED}`)

export function seeded() {
  const random = new Random(SEED)
  return {
    below: (limit: number) => random.below(limit),
    bytes: (length: number) => Uint8Array.from({ length }, () => random.below(256)),
  }
}
