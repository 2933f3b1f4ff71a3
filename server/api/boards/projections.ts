// Cached projections of market pages. A projection is made on request and is fresh for a minute.
// During the next minute it is still returned while a new one is made, so nobody waits for a
// popular page. Pages that are not requested cost nothing. Projections are made one after another.
// The cached pages and the waiting pages are bounded; the least recently requested page is evicted.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { MS_PER_SEC, type TimeMs } from '../../../engine/domain/units.ts'
import type {
  ProjectionParams,
  ProjectionRows,
} from '../../../persistence/follower/boards/projection.ts'

const FRESH_MS = 60 * MS_PER_SEC
/** A result up to this age is returned at once, and is rebuilt in the background. */
const NEARLY_FRESH_MS = 2 * FRESH_MS
/** A result up to this age is returned when a new one takes too long. */
const USABLE_MS = 5 * FRESH_MS

/** Returns undefined on a read timeout. */
type Make = () => Promise<Projected | undefined>

export class KeptProjections {
  readonly #max: number
  /** By name, least recently requested first. */
  readonly #kept = new Map<string, Projected>()
  readonly #underWay = new Map<string, Promise<void>>()
  #last: Promise<void> = Promise.resolve()

  constructor(max: number) {
    this.#max = max
  }

  /** A cached or new projection; undefined when neither is available in time. */
  async read(name: string, nowMs: TimeMs, make: Make): Promise<Projected | undefined> {
    const known = this.#found(name)
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : nowMs - known.atMs
    if (ageMs < FRESH_MS) return known
    const making = this.#making(name, make)
    if (ageMs < NEARLY_FRESH_MS) {
      // Callers that arrive when this result is too old get the same fault.
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
    // A fault belongs to the calls that wait for it, not to later ones.
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

// Schedules the follower's updates of the leaderboards and of the biggest positions: every minute.
// Both are computed off the order path, so no trade waits for them.

const EVERY_MS = 60 * MS_PER_SEC

/** Results as of an instant. */
export interface Projected {
  readonly rows: ProjectionRows
  readonly atMs: TimeMs
}

interface Projecting {
  project(request: ProjectionParams): Promise<ProjectionRows>
}

export class BoardSlices {
  readonly #follower: Projecting
  #nextMs: TimeMs = 0
  #underWay: Promise<void> | null = null
  /** For all markets; null before the first pass. */
  #biggest: Projected | null = null
  #passes = 0

  constructor(follower: Projecting) {
    this.#follower = follower
  }

  /** Null before the first pass has ended. */
  get biggest(): Projected | null {
    return this.#biggest
  }

  /** Number of passes since the start. */
  get passes(): number {
    return this.#passes
  }

  /** Starts a pass when it is due. */
  tick(nowMs: TimeMs): void {
    if (this.#underWay === null && nowMs >= this.#nextMs) void this.pass(nowMs)
  }

  /** Resolves when the boards show the present tables, after a pass that is in progress. */
  async pass(nowMs: TimeMs): Promise<void> {
    while (this.#underWay !== null) await this.#underWay
    this.#nextMs = nowMs + EVERY_MS
    this.#underWay = this.#pass(nowMs).finally(() => {
      this.#underWay = null
    })
    await this.#underWay
  }

  async #pass(nowMs: TimeMs): Promise<void> {
    await this.#follower.project({ what: 'boards', nowMs, marketIds: null })
    const rows = await this.#follower.project({ what: 'biggest', nowMs, marketIds: null })
    this.#biggest = { rows, atMs: nowMs }
    this.#passes++
  }

  /** The rows of some markets only. */
  async of(request: ProjectionParams): Promise<Projected> {
    return { rows: await this.#follower.project(request), atMs: request.nowMs }
  }
}
