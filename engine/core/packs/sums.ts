import { assert } from '../../domain/assert.ts'

/** Adds to the sum of a key, and forgets a sum that is zero. */
export function addTo(sums: Map<number, number>, key: number, change: number): void {
  const sum = (sums.get(key) ?? 0) + change
  assert(sum >= 0, 'no more leaves a sum than came')
  if (sum === 0) sums.delete(key)
  else sums.set(key, sum)
}
