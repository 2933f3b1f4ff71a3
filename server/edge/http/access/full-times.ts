// The buckets of a rate limit. Each key costs one number: the time at which its bucket is full
// again, in ms. So a full bucket needs no entry. Time is an argument.

export interface FullTimes<Key> {
  /** Keys whose buckets are not full. */
  keys(nowMs: number): number
  /** When the bucket of a key is full; in the past for a full bucket. */
  of(key: Key, nowMs: number): number
  /** Replaces the time that `of` returned last. False, and nothing is done, when it has changed. */
  put(key: Key, fullAtMs: number): boolean
}

const KEYS_MAX = 1 << 16
/** Entries swept per call: more than a call adds, so full buckets never accumulate. */
const SWEEP_STEPS = 2

/** Buckets of one thread. */
export class OwnTimes<Key> implements FullTimes<Key> {
  readonly #keysMax: number
  readonly #fullAtMs = new Map<Key, number>()
  #sweep: Iterator<[Key, number]>

  constructor(keysMax = KEYS_MAX) {
    this.#keysMax = keysMax
    this.#sweep = this.#fullAtMs.entries()
  }

  keys(): number {
    return this.#fullAtMs.size
  }

  of(key: Key, nowMs: number): number {
    this.#forgetFull(nowMs)
    return this.#fullAtMs.get(key) ?? 0
  }

  put(key: Key, fullAtMs: number): boolean {
    const isFull = this.#fullAtMs.size >= this.#keysMax
    if (isFull && !this.#fullAtMs.has(key)) this.#forgetNext()
    this.#fullAtMs.set(key, fullAtMs)
    return true
  }

  #forgetFull(nowMs: number): void {
    for (let step = 0; step < SWEEP_STEPS; step++) {
      const next = this.#sweep.next()
      if (next.done === true) {
        this.#sweep = this.#fullAtMs.entries()
        return
      }
      const [key, fullAtMs] = next.value
      if (fullAtMs <= nowMs) this.#fullAtMs.delete(key)
    }
  }

  /**
   * Deletes the next key of the sweep when the map is full, so a flood of keys cannot lock others
   * out. Searching for the oldest key would step over all deleted entries each time.
   */
  #forgetNext(): void {
    let next = this.#sweep.next()
    if (next.done === true) {
      this.#sweep = this.#fullAtMs.entries()
      next = this.#sweep.next()
    }
    if (next.done !== true) this.#fullAtMs.delete(next.value[0])
  }
}

/** Keys of one set; a key has its place in one set. */
const WAYS = 8
const SETS = KEYS_MAX / WAYS
const SEED_BYTES = 8
/** The hash of each key, in two words, and the bits of each time. */
const TABLE_BYTES = KEYS_MAX * 16

/** Two different hashes of a text (FNV-1a). */
function hashOf(text: string, seed: number): number {
  let hash = seed
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash ^ (hash >>> 15)
}

const time = new Float64Array(1)
const bits = new BigInt64Array(time.buffer)

function bitsOf(ms: number): bigint {
  time[0] = ms
  return bits[0]
}

/**
 * Buckets that several threads share. A key is found by 64 bits of its hash, which nobody can
 * compute who does not know the seed of the process. When all places of its set are taken by
 * buckets that are not full, one of these is forgotten.
 */
export class SharedTimes implements FullTimes<string> {
  readonly #seeds: Int32Array
  readonly #tags: Int32Array
  readonly #fullAtMs: Float64Array
  readonly #fullAtBits: BigInt64Array
  /** Where `of` found its key, and the time there. */
  #at = 0
  #found = 0

  /** `shared` comes from `allocate`; each table has keys of its own. */
  constructor(shared: SharedArrayBuffer, table: number) {
    const from = SEED_BYTES + table * TABLE_BYTES
    this.#seeds = new Int32Array(shared, 0, 2)
    this.#fullAtMs = new Float64Array(shared, from, KEYS_MAX)
    this.#fullAtBits = new BigInt64Array(shared, from, KEYS_MAX)
    this.#tags = new Int32Array(shared, from + KEYS_MAX * 8, KEYS_MAX * 2)
  }

  static allocate(tables: number): SharedArrayBuffer {
    const shared = new SharedArrayBuffer(SEED_BYTES + tables * TABLE_BYTES)
    const seeds = new Int32Array(shared, 0, 2)
    seeds.set(crypto.getRandomValues(new Int32Array(2)))
    return shared
  }

  keys(nowMs: number): number {
    let count = 0
    for (const fullAtMs of this.#fullAtMs) if (fullAtMs > nowMs) count++
    return count
  }

  of(key: string, nowMs: number): number {
    this.#at = this.#locate(hashOf(key, this.#seeds[0]), hashOf(key, this.#seeds[1]), nowMs)
    this.#found = this.#fullAtMs[this.#at]
    return this.#found
  }

  put(_key: string, fullAtMs: number): boolean {
    const before = bitsOf(this.#found)
    const now = bitsOf(fullAtMs)
    return Atomics.compareExchange(this.#fullAtBits, this.#at, before, now) === before
  }

  /** The place of a key; it takes the place of a full bucket if it has none. */
  #locate(high: number, low: number, nowMs: number): number {
    const tags = this.#tags
    const first = ((high >>> 0) % SETS) * WAYS
    for (;;) {
      let free = -1
      for (let at = first; at < first + WAYS; at++) {
        if (tags[2 * at] === high && tags[2 * at + 1] === low) return at
        if (free < 0 && this.#fullAtMs[at] <= nowMs) free = at
      }
      const at = free < 0 ? first + ((low >>> 0) % WAYS) : free
      const before = tags[2 * at]
      if (Atomics.compareExchange(tags, 2 * at, before, high) !== before) continue
      tags[2 * at + 1] = low
      if (free < 0) this.#fullAtMs[at] = 0
      return at
    }
  }
}
