// Faults at the edges of the exchange: each costs one call, one frame or one answer of a worker and
// no more (design §11). A fault of state is none of these: it stops the process.

import { randomBytes } from 'node:crypto'
import { WorkerFault } from '../../engine/domain/worker-fault.ts'

/**
 * Where it broke: while a call was read, proven or handled; while its reply was made; in what a
 * socket asked; in a frame to a socket; in a worker that reads orders or that answers questions.
 */
export const EDGES = ['http', 'reply', 'socket', 'frame', 'intake', 'query'] as const
export type Edge = (typeof EDGES)[number]

/** What the log says of one. */
export interface FaultLine {
  readonly faultId: string
  readonly edge: Edge
  readonly stack: string
}

const ID_BYTES = 6

export class EdgeFaults {
  readonly #tell: (line: FaultLine) => void
  readonly #counts: Record<Edge, number> = {
    http: 0,
    reply: 0,
    socket: 0,
    frame: 0,
    intake: 0,
    query: 0,
  }

  constructor(tell: (line: FaultLine) => void) {
    this.#tell = tell
  }

  /**
   * Counts it where it broke (in a thread, before the edge that met it), tells of it once, and
   * gives the id under which its caller can ask about it.
   */
  note(edge: Edge, error: unknown): string {
    const where = error instanceof WorkerFault ? error.edge : edge
    this.#counts[where]++
    const faultId = randomBytes(ID_BYTES).toString('hex')
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.#tell({ faultId, edge: where, stack })
    return faultId
  }

  count(edge: Edge): number {
    return this.#counts[edge]
  }
}
