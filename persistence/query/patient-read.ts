import { setTimeout as pause } from 'node:timers/promises'
import { LIMITS } from '../../engine/domain/limits.ts'

/**
 * Repeats a read while the tables are late. Undefined if they remain late. With `ref: false` the
 * pauses do not keep the process alive.
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
