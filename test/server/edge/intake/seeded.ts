import { Random } from '../../../support/random.ts'

// Seeded random bytes. The seed is printed, and SEED=… repeats the run.

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`SEED=${SEED}`)

export function seeded() {
  const random = new Random(SEED)
  return {
    below: (limit: number) => random.below(limit),
    bytes: (length: number) => Uint8Array.from({ length }, () => random.below(256)),
  }
}
