// What an edge thread answers without the core, for metrics. The thread counts in shared memory,
// where the core reads.
//
// Cells (f64): 0 503 │ 1 429 │ 2.. for each path of a kept reply: 200, 304

import type { CountedElsewhere } from '../../ops/metrics.ts'

const REFUSED = [503, 429] as const
const ANSWERED = [200, 304] as const
/** Few routes have such replies. */
const PATHS_MAX = 64
const CELLS = REFUSED.length + ANSWERED.length * PATHS_MAX

/** The core's side. */
export class EdgeCounts {
  readonly shared = new SharedArrayBuffer(CELLS * Float64Array.BYTES_PER_ELEMENT)
  readonly #cells = new Float64Array(this.shared)
  readonly #paths: string[] = []

  /** The number of a path; paths beyond a bound share the last one. */
  numberOf(path: string): number {
    const known = this.#paths.indexOf(path)
    if (known >= 0) return known
    if (this.#paths.length === PATHS_MAX) return PATHS_MAX - 1
    return this.#paths.push(path) - 1
  }

  read(): CountedElsewhere[] {
    const refused = REFUSED.map((status, cell) => {
      return { path: null, status, count: this.#cells[cell] }
    })
    const answered = this.#paths.flatMap((path, number) =>
      ANSWERED.map((status, index) => {
        return { path, status, count: this.#cells[cellOf(number) + index] }
      }),
    )
    return [...refused, ...answered].filter(({ count }) => count > 0)
  }
}

/** The thread's side. */
export class EdgeCounter {
  readonly #cells: Float64Array

  constructor(shared: SharedArrayBuffer) {
    this.#cells = new Float64Array(shared)
  }

  refused(status: number): void {
    this.#cells[status === REFUSED[1] ? 1 : 0]++
  }

  answered(path: number, isUnchanged: boolean): void {
    this.#cells[cellOf(path) + (isUnchanged ? 1 : 0)]++
  }
}

function cellOf(path: number): number {
  return REFUSED.length + ANSWERED.length * path
}
