import { assert } from './assert.ts'

/** Adds to the sum of a key, and forgets a sum that is zero. */
export function addTo<Key>(sums: Map<Key, number>, key: Key, change: number): void {
  const sum = (sums.get(key) ?? 0) + change
  assert(sum >= 0, 'no more leaves a sum than came')
  if (sum === 0) sums.delete(key)
  else sums.set(key, sum)
}
