import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Deadlines, HeapPlaces } from '../../../../engine/core/markets/deadlines.ts'

const step = fc.oneof(
  fc.record({ add: fc.integer({ min: 0, max: 50 }), slot: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ remove: fc.integer({ min: 1, max: 40 }) }),
  fc.constant({ pop: true }),
)

test('deadlines come out by due time, and removed ones never, at any capacity', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 1, max: 64 }),
      (steps, capacity) => {
        const deadlines = new Deadlines(new HeapPlaces(capacity))
        const model = new Map<number, number>()
        for (const each of steps) {
          if ('add' in each) {
            if (model.has(each.slot)) continue
            deadlines.add(each.slot, each.add)
            model.set(each.slot, each.add)
          } else if ('remove' in each) {
            deadlines.remove(each.remove)
            model.delete(each.remove)
          } else if (model.size > 0) {
            const slot = deadlines.pop()
            assert.equal(model.get(slot), Math.min(...model.values()))
            model.delete(slot)
          }
          assert.equal(deadlines.count, model.size)
          assert.equal(deadlines.nextMs, Math.min(Number.POSITIVE_INFINITY, ...model.values()))
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('the entry that fills the place of a removed deadline rises to its own place', () => {
  const deadlines = new Deadlines()
  const dues = [1, 20, 2, 21, 22, 3, 30, 23, 24, 25, 26, 4]
  for (const [index, dueMs] of dues.entries()) deadlines.add(index + 1, dueMs)
  // The last entry of the heap, 4, replaces 23 below 21 and 20.
  deadlines.remove(8)
  const out: number[] = []
  while (deadlines.count > 0) out.push(dues[deadlines.pop() - 1])
  assert.deepEqual(out, [1, 2, 3, 4, 20, 21, 22, 24, 25, 26, 30])
})
