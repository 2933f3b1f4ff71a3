// How fast a data folder grows, and when its disk is full.

import { DAY_MS, HOUR_MS } from '../../engine/domain/units.ts'
import { FOLDER_PARTS, type FolderPart, type FolderSizes } from '../../persistence/folder-sizes.ts'

const LOOK_MS = 60_000
/** Growth is measured over a day, or since the start, and not over less than this. */
const LEAST_MS = 600_000

interface Sample {
  readonly ms: number
  readonly sizes: FolderSizes
}

export class FolderGrowth {
  readonly #read: () => Promise<FolderSizes>
  /** One an hour, oldest first; the first is at most a day older than the newest. */
  readonly #hours: Sample[] = []
  #newest: Sample | null = null
  #requestedMs = Number.NEGATIVE_INFINITY
  #isReading = false

  constructor(read: () => Promise<FolderSizes>) {
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
      // A disk that cannot be read is reported by /ready.
    }, end)
  }

  take(ms: number, sizes: FolderSizes): void {
    const sample = { ms, sizes }
    this.#newest = sample
    const last = this.#hours.at(-1)
    if (last === undefined || ms - last.ms >= HOUR_MS) this.#hours.push(sample)
    while (this.#hours.length > 1 && ms - this.#hours[1].ms >= DAY_MS) this.#hours.shift()
  }

  /** Bytes; 0 while unknown. */
  bytes(part: FolderPart): number {
    return this.#newest?.sizes[part] ?? 0
  }

  /** Bytes a day by which a part grows; negative if it shrinks, 0 while unknown. */
  perDay(part: FolderPart): number {
    const [first] = this.#hours
    if (first === undefined || this.#newest === null) return 0
    const elapsedMs = this.#newest.ms - first.ms
    if (elapsedMs < LEAST_MS) return 0
    return ((this.#newest.sizes[part] - first.sizes[part]) * DAY_MS) / elapsedMs
  }

  /** Days until so many free bytes are used; -1 if the folder does not grow, or while unknown. */
  daysUntilFull(freeBytes: number | null): number {
    const perDay = FOLDER_PARTS.reduce((sum, part) => sum + this.perDay(part), 0)
    return freeBytes === null || perDay <= 0 ? -1 : freeBytes / perDay
  }
}
