/** Seeded randomness for flows and properties: mulberry32, the same on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    const state = this.#state
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer in 0 … limit − 1. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** An integer in low … high, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(part: number): boolean {
    return this.next() < part
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]
  }

  /** A safe integer up to `max` with a random number of bits, so that extremes are common. */
  spread(max: number): number {
    const bits = this.below(Math.floor(Math.log2(max)) + 2)
    const value = Math.floor(this.next() * 2 ** bits)
    if (this.chance(0.1)) return max - Math.min(max, this.below(3))
    return Math.min(max, value)
  }
}

/** A number from the environment, so that a failing run can be repeated. */
export function fromEnv(name: string, otherwise: number): number {
  const text = process.env[name]
  return text === undefined || text === '' ? otherwise : Number(text)
}

/** SEED from the environment or a new one; always printed. */
export function freshSeed(): number {
  const seed = fromEnv('SEED', Math.floor(Math.random() * 2 ** 31))
  console.log(`SEED=${seed}`)
  return seed
}
