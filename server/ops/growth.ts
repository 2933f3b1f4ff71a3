// How fast the parts of something grow, and when they fill a disk.

import { DAY_MS, HOUR_MS } from '../../engine/domain/units.ts'

const LOOK_MS = 60_000
/** Growth is measured over a day, or since the start, and not over less than this. */
const LEAST_MS = 600_000

/** Bytes of each part, by its name. */
type Sizes = Readonly<Record<string, number>>

interface Sample {
  readonly ms: number
  readonly sizes: Sizes
}

export class Growth {
  readonly #read: () => Promise<Sizes>
  /** One an hour, oldest first; the first is at most a day older than the newest. */
  readonly #hours: Sample[] = []
  #newest: Sample | null = null
  #requestedMs = Number.NEGATIVE_INFINITY
  #isReading = false

  constructor(read: () => Promise<Sizes>) {
    this.#read = read
  }

  /** Reads the sizes once a minute. `nowMs` may come from any clock that never goes back. */
  request(nowMs: number): void {
    if (this.#isReading || nowMs - this.#requestedMs < LOOK_MS) return
    this.#requestedMs = nowMs
    this.#isReading = true
    const end = () => {
      this.#isReading = false
    }
    this.#read().then((sizes) => {
      this.take(nowMs, sizes)
      end()
      // What cannot be read is reported by /ready.
    }, end)
  }

  take(ms: number, sizes: Sizes): void {
    const sample = { ms, sizes }
    this.#newest = sample
    const last = this.#hours.at(-1)
    if (last === undefined || ms - last.ms >= HOUR_MS) this.#hours.push(sample)
    while (this.#hours.length > 1 && ms - this.#hours[1].ms >= DAY_MS) this.#hours.shift()
  }

  /** Bytes; 0 while unknown. */
  bytes(part: string): number {
    return this.#newest?.sizes[part] ?? 0
  }

  /** Bytes a day by which a part grows; negative if it shrinks, 0 while unknown. */
  perDay(part: string): number {
    const [first] = this.#hours
    if (first === undefined || this.#newest === null) return 0
    const elapsedMs = this.#newest.ms - first.ms
    if (elapsedMs < LEAST_MS) return 0
    return ((this.#newest.sizes[part] - first.sizes[part]) * DAY_MS) / elapsedMs
  }

  /** Days until all parts use so many free bytes; -1 if they do not grow, or while unknown. */
  daysUntilFull(freeBytes: number | null): number {
    const parts = Object.keys(this.#newest?.sizes ?? {})
    const perDay = parts.reduce((sum, part) => sum + this.perDay(part), 0)
    return freeBytes === null || perDay <= 0 ? -1 : freeBytes / perDay
  }
}
