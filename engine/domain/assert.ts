/**
 * A fault is a bug and never an expected outcome. It stops the process, and the journal restores
 * the state.
 */
export class Fault extends Error {
  override name = 'Fault'
}

/** Throws an uncaught Fault when an invariant does not hold. `invariant` must be a literal. */
export function assert(holds: boolean, invariant: string): asserts holds {
  if (!holds) throw new Fault(invariant)
}

/** For branches that the types rule out, and for corruption that must stop the process. */
export function fault(invariant: string): never {
  throw new Fault(invariant)
}

/** A stateless thread failed on one input. Only that call fails (design §11). */
export class WorkerFault extends Error {
  readonly edge: 'intake' | 'query'

  constructor(edge: WorkerFault['edge'], reason: string) {
    super(`${edge}: ${reason}`)
    this.name = 'WorkerFault'
    this.edge = edge
  }
}
