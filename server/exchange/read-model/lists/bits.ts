// A set of slots as bits. Sets may differ in length: a slot past the end is not in the set.

/** Counts the bits of a word in parallel (Hacker's Delight, 5-1). */
function bitsIn(word: number): number {
  const twos = word - ((word >>> 1) & 0x55555555)
  const fours = (twos & 0x33333333) + ((twos >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

export class Bits {
  readonly #words: Uint32Array

  /** Holds the slots below `slotsEnd`; initially none, or those of `from`. */
  constructor(slotsEnd: number, from?: Bits) {
    this.#words = new Uint32Array((slotsEnd >>> 5) + 1)
    if (from !== undefined) this.addAll(from)
  }

  /** The number of words of a set, which is the cost of counting it. */
  static wordsFor(slotsEnd: number): number {
    return (slotsEnd >>> 5) + 1
  }

  add(slot: number): void {
    this.#words[slot >>> 5] |= 1 << (slot & 31)
  }

  /** Adds the slots of a set that is not longer. */
  addAll(other: Bits): void {
    const words = other.#words
    for (let word = 0; word < words.length; word++) this.#words[word] |= words[word]
  }

  has(slot: number): boolean {
    return ((this.#words[slot >>> 5] >>> (slot & 31)) & 1) === 1
  }

  /** Keeps the slots that are also in the other set. */
  keepIn(other: Bits): void {
    const words = this.#words
    const both = Math.min(words.length, other.#words.length)
    for (let word = 0; word < both; word++) words[word] &= other.#words[word]
    words.fill(0, both)
  }

  get count(): number {
    const words = this.#words
    let count = 0
    for (let word = 0; word < words.length; word++) count += bitsIn(words[word])
    return count
  }

  /** The slots of the set, lowest first. */
  slots(): Int32Array {
    const words = this.#words
    const slots = new Int32Array(this.count)
    let at = 0
    for (let word = 0; word < words.length; word++) {
      for (let left = words[word]; left !== 0; left &= left - 1) {
        slots[at++] = 32 * word + 31 - Math.clz32(left & -left)
      }
    }
    return slots
  }
}
