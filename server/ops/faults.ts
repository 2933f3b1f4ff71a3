// Faults at the edges of the exchange. Each costs one call, one frame or one worker reply, and no
// more (design §11). A fault of the state is different: it stops the process.

import { randomBytes } from 'node:crypto'
import { WorkerFault } from '../../engine/domain/assert.ts'

/**
 * The edges, in order: while a call is read, authenticated or handled; while its reply is built; in
 * a message of a socket; in a frame to a socket; in the check of an order; in the query thread.
 */
export const EDGES = ['http', 'reply', 'socket', 'frame', 'intake', 'query'] as const
export type Edge = (typeof EDGES)[number]

/** The log line of a fault. */
export interface FaultLine {
  readonly faultId: string
  readonly edge: Edge
  readonly stack: string
}

const ID_BYTES = 6

export class EdgeFaults {
  readonly #report: (line: FaultLine) => void
  readonly #counts: Record<Edge, number> = {
    http: 0,
    reply: 0,
    socket: 0,
    frame: 0,
    intake: 0,
    query: 0,
  }

  constructor(report: (line: FaultLine) => void) {
    this.#report = report
  }

  /**
   * Counts a fault at the edge where it occurred: in the thread, when a thread reported it. Logs it
   * once, and returns the id that the caller can quote.
   */
  note(edge: Edge, error: unknown): string {
    const where = error instanceof WorkerFault ? error.edge : edge
    this.#counts[where]++
    const faultId = randomBytes(ID_BYTES).toString('hex')
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.#report({ faultId, edge: where, stack })
    return faultId
  }

  count(edge: Edge): number {
    return this.#counts[edge]
  }
}
