/** How a new thread gets the whole directory. */
export interface Replica {
  /** False when the thread is no longer needed. */
  readonly isWanted: () => boolean
  /** Runs the work while changes go to this thread alone. */
  readonly alone: (work: () => void) => void
  readonly onDone: () => void
}

/** The longest slice of main's time. */
const SLICE_MS = 4

/** Takes the steps, each of which makes a few changes, a slice in each event-loop tick. */
export function replicate(steps: Iterator<unknown>, replica: Replica): void {
  if (!replica.isWanted()) return
  const untilMs = performance.now() + SLICE_MS
  let isOver = false
  replica.alone(() => {
    while (!isOver && performance.now() < untilMs) isOver = steps.next().done === true
  })
  if (isOver) replica.onDone()
  else setImmediate(() => replicate(steps, replica))
}
