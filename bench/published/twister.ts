// MT19937, seeded by one word: the random numbers of the published benchmark.

/** Its draws, as the benchmark defines them. */
export class Twister {
  readonly #state = new Uint32Array(624)
  #at = 624

  constructor(seed: number) {
    const state = this.#state
    state[0] = seed
    for (let index = 1; index < 624; index++) {
      const before = state[index - 1] ^ (state[index - 1] >>> 30)
      state[index] = Math.imul(1_812_433_253, before) + index
    }
  }

  word(): number {
    if (this.#at === 624) this.#twist()
    let word = this.#state[this.#at++]
    word ^= word >>> 11
    word ^= (word << 7) & 0x9d2c5680
    word ^= (word << 15) & 0xefc60000
    return (word ^ (word >>> 18)) >>> 0
  }

  #twist(): void {
    const state = this.#state
    for (let index = 0; index < 624; index++) {
      const joined = (state[index] & 0x80000000) | (state[(index + 1) % 624] & 0x7fffffff)
      const odd = (joined & 1) === 0 ? 0 : 0x9908b0df
      state[index] = state[(index + 397) % 624] ^ (joined >>> 1) ^ odd
    }
    this.#at = 0
  }

  /** From 0, included, to 1. */
  uniform(): number {
    const high = this.word() >>> 5
    return (high * 2 ** 26 + (this.word() >>> 6)) / 2 ** 53
  }

  between(least: number, most: number): number {
    return least + Math.trunc(this.uniform() * (most - least + 1))
  }

  normal(): number {
    const first = Math.max(this.uniform(), 1e-300)
    const second = this.uniform()
    return Math.sqrt(-2 * Math.log(first)) * Math.cos(2 * Math.PI * second)
  }
}
