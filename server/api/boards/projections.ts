// Projections of market pages. One is made when somebody asks for it, and kept for a minute. In the
// next minute whoever asks gets it too, while a new one is made: nobody waits for a page that many
// ask for. Few pages are asked for, so the others cost nothing. They are made one after the other.
// Bounds: the pages that are kept, and those that wait; the page that nobody asked for longest
// makes room.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { MS_PER_SEC, type TimeMs } from '../../../engine/domain/units.ts'
import type { Projected } from './board-slices.ts'

const FRESH_MS = 60 * MS_PER_SEC
/** An answer that is not older is given at once, and is rebuilt behind it. */
const NEARLY_FRESH_MS = 2 * FRESH_MS
/** An answer that is not older is better than none, when a new one takes too long. */
const USABLE_MS = 5 * FRESH_MS

/** Gives undefined when the tables gave no answer in time. */
type Make = () => Promise<Projected | undefined>

export class KeptProjections {
  readonly #max: number
  /** By name; the one that was asked for longest ago stands first. */
  readonly #kept = new Map<string, Projected>()
  readonly #underWay = new Map<string, Promise<void>>()
  #last: Promise<void> = Promise.resolve()

  constructor(max: number) {
    this.#max = max
  }

  /** A kept answer or a new one; undefined when there is neither in time. */
  async read(name: string, nowMs: TimeMs, make: Make): Promise<Projected | undefined> {
    const known = this.#found(name)
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : nowMs - known.atMs
    if (ageMs < FRESH_MS) return known
    const making = this.#making(name, make)
    if (ageMs < NEARLY_FRESH_MS) {
      // Whoever asks when this answer is too old meets the same fault.
      making?.catch(() => {})
      return known
    }
    if (making !== null) await withinDeadline(making)
    const now = this.#found(name)
    return now !== undefined && nowMs - now.atMs < USABLE_MS ? now : undefined
  }

  #found(name: string): Projected | undefined {
    const found = this.#kept.get(name)
    if (found === undefined) return undefined
    this.#kept.delete(name)
    this.#kept.set(name, found)
    return found
  }

  /** Null when too many wait. */
  #making(name: string, make: Make): Promise<void> | null {
    const known = this.#underWay.get(name)
    if (known !== undefined) return known
    if (this.#underWay.size >= this.#max) return null
    const making = this.#last.then(make).then((made) => {
      if (made !== undefined) this.#keep(name, made)
    })
    // A fault belongs to those who wait for it, and not to those behind them.
    const ended = making.finally(() => this.#underWay.delete(name))
    this.#last = ended.catch(() => {})
    this.#underWay.set(name, ended)
    return ended
  }

  #keep(name: string, made: Projected): void {
    this.#kept.delete(name)
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size >= this.#max) this.#kept.delete(oldest)
    this.#kept.set(name, made)
  }
}

async function withinDeadline(making: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LIMITS.privateReadDeadlineMs)
  })
  await Promise.race([making, late]).finally(() => clearTimeout(timer))
}
