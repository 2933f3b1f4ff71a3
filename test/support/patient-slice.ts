import type { QuerySlice } from '../../persistence/query/query-queue.ts'

/** So long that no deadline passes, also on a busy machine. */
const PATIENT_MS = 600_000

/** The slice of a query that waits for its answer however long it takes. */
export function patientSlice(owner = 0): QuerySlice {
  return { group: String(owner), owner, untilMs: performance.now() + PATIENT_MS }
}
