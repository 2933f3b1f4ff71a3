import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from '../../../engine/thread/fair-queue.ts'

// What a group pays before anybody knows the cost of its items.

const COSTLY_MS = 100
const CHEAP_MS = 10

test('a group with an item under way pays in advance what its last item cost', () => {
  const queue = new FairQueue<{ readonly group: string }>(({ group }) => ({ group, owner: 1 }))
  const put = (group: string, count: number) => {
    for (let each = 0; each < count; each++) queue.put({ group })
  }
  const next = () => {
    const item = queue.next()
    assert.ok(item !== undefined)
    return item
  }
  put('costly', 3)
  put('cheap', 30)
  queue.done(next(), COSTLY_MS)
  let item = next()
  // Both have had the same time when the costly group is next again.
  for (let servedMs = 0; item.group === 'cheap'; item = next()) {
    queue.done(item, CHEAP_MS)
    servedMs += CHEAP_MS
    assert.ok(servedMs <= COSTLY_MS + CHEAP_MS)
  }
  // Its second item is under way: the other group has all slices until it has caught up.
  for (let servedMs = CHEAP_MS; servedMs < COSTLY_MS; servedMs += CHEAP_MS) {
    const other = next()
    assert.equal(other.group, 'cheap')
    queue.done(other, CHEAP_MS)
  }
})
