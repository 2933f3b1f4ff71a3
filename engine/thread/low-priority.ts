import { setPriority } from 'node:os'

/** On a busy processor, the thread gets a tenth of the time of another thread. */
const LOW_PRIORITY = 10

/** Lets orders pass before the work of the calling thread. */
export function lowerPriority(): void {
  // On other systems the call affects the whole process.
  if (process.platform === 'linux') setPriority(0, LOW_PRIORITY)
}
