import { setTimeout as afterMs } from 'node:timers/promises'

const PAUSE_MS = 5

/** Checks until it holds. The pause leaves the processor to the work that the test waits for. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  pauseMs = PAUSE_MS,
): Promise<void> {
  while (!(await holds())) await afterMs(pauseMs)
}
