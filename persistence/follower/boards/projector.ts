import type { Clearing } from '../../../engine/core/clearing.ts'
import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import type { Connection } from '../../database.ts'
import type { Pace } from '../tables/pace.ts'
import { BiggestPositions } from './biggest-positions.ts'
import { BoardKeeper } from './board-keeper.ts'
import { PagePnl } from './page-pnl.ts'
import type { ProjectionParams, ProjectionRows } from './projection.ts'
import { ResultCounts } from './result-counts.ts'

// Computes main's projections in request order and in short slices, between which the follower
// continues with the journal. Each slice is a separate transaction without journal data. It also
// counts the results of markets, without a request.

export interface Projected {
  readonly id: number
  readonly rows: ProjectionRows
}

interface Job {
  readonly id: number
  readonly work: Generator<undefined, ProjectionRows>
}

interface Changes {
  readonly positions: {
    takeChanged(): ReadonlySet<ProfileId>
    takeChangedMarkets(): ReadonlySet<MarketId>
  }
}

const NO_ROWS = new Float64Array(0)

export class Projector {
  readonly #connection: Connection
  readonly #clearing: Clearing
  readonly #boards: BoardKeeper
  readonly #pnl: PagePnl
  readonly #biggest: BiggestPositions
  readonly #results: ResultCounts
  /** Main limits their number. */
  readonly #jobs: Job[] = []

  constructor(connection: Connection, clearing: Clearing, { positions }: Changes, pace: Pace) {
    this.#connection = connection
    this.#clearing = clearing
    this.#boards = new BoardKeeper(connection, () => positions.takeChanged())
    this.#pnl = new PagePnl(connection)
    this.#biggest = new BiggestPositions(connection, {
      clearing,
      look: () => pace.look(),
      takeChanged: () => positions.takeChangedMarkets(),
    })
    this.#results = new ResultCounts(connection)
  }

  request(id: number, request: ProjectionParams): void {
    this.#jobs.push({ id, work: this.#begin(request) })
  }

  /** Whether there is work for a slice. */
  get isDue(): boolean {
    return this.#jobs.length > 0 || this.#results.isDue
  }

  /** Works until `isOver`, and returns the next result once it is complete. */
  work(isOver: () => boolean): Projected | null {
    if (!this.isDue) return null
    this.#connection.exec('BEGIN IMMEDIATE')
    const projected = this.#round(isOver)
    this.#connection.exec('COMMIT')
    return projected
  }

  #round(isOver: () => boolean): Projected | null {
    while (!isOver()) {
      if (this.#results.step()) continue
      const job = this.#jobs[0]
      if (job === undefined) return null
      const step = job.work.next()
      if (step.done !== true) continue
      this.#jobs.shift()
      return { id: job.id, rows: step.value }
    }
    return null
  }

  #begin(request: ProjectionParams): Generator<undefined, ProjectionRows> {
    switch (request.what) {
      case 'boards':
        return this.#passed(request)
      case 'pnl':
        return this.#pnl.rows(request)
      case 'biggest':
        return this.#biggest.rows(request)
    }
  }

  *#passed({ nowMs }: ProjectionParams): Generator<undefined, ProjectionRows> {
    // The tables are as new as this state, because they are written after each chunk.
    yield* this.#boards.pass(nowMs, this.#clearing.lastNowMs)
    return NO_ROWS
  }
}
