import { assert } from './assert.ts'

/** Adds to the sum of a key. A sum of zero is removed. */
export function addTo<Key>(sums: Map<Key, number>, key: Key, change: number): void {
  const sum = (sums.get(key) ?? 0) + change
  assert(sum >= 0, 'a sum never falls below zero')
  if (sum === 0) sums.delete(key)
  else sums.set(key, sum)
}
