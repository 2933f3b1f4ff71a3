import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSlices } from '../../../../server/api/orders/cancels.ts'

test('wide work runs a thousand items at a time, and other work runs in between', async () => {
  const items = Array.from({ length: 4500 }, (_, index) => index)
  const story: string[] = []
  let isOver = false
  const others = () => {
    if (isOver) return
    story.push('others')
    setImmediate(others)
  }
  setImmediate(others)
  const doubled = await inSlices(items, (some) => {
    story.push(`${some.length} items`)
    return some.map((item) => 2 * item)
  })
  isOver = true
  assert.deepEqual(
    doubled,
    items.map((item) => 2 * item),
  )
  const parts = [1000, 1000, 1000, 1000, 500].map((count) => `${count} items`)
  assert.deepEqual(
    story,
    parts.flatMap((part, index) => (index === 0 ? [part] : ['others', part])),
  )
  assert.deepEqual(await inSlices([], () => ['none']), [])
})
