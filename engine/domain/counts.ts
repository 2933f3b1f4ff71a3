/** Counts by key; a count of 0 has no entry. */
export class Counts<Key> {
  readonly #counts = new Map<Key, number>()

  of(key: Key): number {
    return this.#counts.get(key) ?? 0
  }

  has(key: Key): boolean {
    return this.#counts.has(key)
  }

  /** `by` may be negative. */
  add(key: Key, by = 1): void {
    const sum = this.of(key) + by
    if (sum === 0) this.#counts.delete(key)
    else this.#counts.set(key, sum)
  }
}
