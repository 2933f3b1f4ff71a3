// Reports that a long test makes progress, to the runner, which ends a file that makes none.

/** The process id of the runner. Processes that a test starts have another parent. */
export const RUNNER_VARIABLE = 'TEST_RUNNER'
const EVERY_MS = 1000
const isWatched = process.env[RUNNER_VARIABLE] === String(process.ppid)
let notedMs = 0

/** Call it in the steps of what may take long on a slow machine, and not in a loop that waits. */
export function noteProgress(): void {
  if (!isWatched) return
  const nowMs = performance.now()
  if (nowMs - notedMs < EVERY_MS) return
  notedMs = nowMs
  process.send?.({ type: 'progress' })
}
