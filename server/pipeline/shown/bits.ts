// A set of slots as bits.

export class Bits {
  readonly #words: Uint32Array

  constructor(slotsEnd: number) {
    this.#words = new Uint32Array((slotsEnd >>> 5) + 1)
  }

  add(slot: number): void {
    this.#words[slot >>> 5] |= 1 << (slot & 31)
  }

  has(slot: number): boolean {
    return ((this.#words[slot >>> 5] >>> (slot & 31)) & 1) === 1
  }

  /** Keeps the slots that the other set has too; both are of one size. */
  keepIn(other: Bits): void {
    const words = this.#words
    for (let word = 0; word < words.length; word++) words[word] &= other.#words[word]
  }

  get count(): number {
    let count = 0
    for (const word of this.#words) {
      // Counts the bits of a word in parallel (Hacker's Delight, 5-1).
      let bits = word - ((word >>> 1) & 0x55555555)
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
      count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
    }
    return count
  }
}
