// Schedules the follower's updates of the leaderboards and of the biggest positions: every minute.
// Both are computed off the order path, so no trade waits for them.

import { MS_PER_SEC, type TimeMs } from '../../../engine/domain/units.ts'
import type {
  ProjectionParams,
  ProjectionRows,
} from '../../../persistence/follower/boards/projection.ts'

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
