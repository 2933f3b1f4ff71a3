import { setTimeout as pause } from 'node:timers/promises'
import { LIMITS } from '../../engine/domain/limits.ts'

/**
 * Asks again while the tables are late. Gives undefined when they stay late. With `ref: false` the
 * pauses do not keep a process alive.
 */
export async function patiently<Answer>(
  request: () => Promise<Answer | undefined>,
  { ref = true }: { readonly ref?: boolean } = {},
): Promise<Answer | undefined> {
  for (let attempt = 0; attempt < LIMITS.lateReadsMax; attempt++) {
    const answer = await request()
    if (answer !== undefined) return answer
    await pause(LIMITS.lateReadPauseMs, undefined, { ref })
  }
  return undefined
}
