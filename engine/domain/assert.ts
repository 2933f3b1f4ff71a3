/**
 * A fault is a bug, never an expected outcome: the process stops and the journal brings it back.
 */
export class Fault extends Error {
  override name = 'Fault'
}

/**
 * Stops the process through an uncaught Fault when a law does not hold. `law` must be a literal.
 */
export function assert(holds: boolean, law: string): asserts holds {
  if (!holds) throw new Fault(law)
}

/** For branches the types rule out, and for damage that must stop the process. */
export function fault(law: string): never {
  throw new Fault(law)
}
