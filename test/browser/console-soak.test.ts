import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConsoleFigures, consoleSoak } from '../support/console-soak.ts'

// A short `make console-soak`: books reach a page that shows many markets, and it holds no more
// memory afterwards. What a frame costs depends on the machine, so it is printed alone.

const WINDOWS = 3
const GROWTH_MAX_BYTES = 8 * 2 ** 20

test('an open list takes books for a while and holds no more memory than before', async () => {
  const seen: ConsoleFigures[] = []
  const { msPerFrame } = await consoleSoak({
    markets: 60,
    perSecond: 20,
    windowSeconds: 3,
    onWindow: (figures) => seen.push(figures),
    goesOn: () => seen.length < WINDOWS,
  })
  console.log(`${msPerFrame.toFixed(2)} ms of scripts and layout a frame`)
  for (const { bookFrames, screenFrames } of seen) assert.ok(bookFrames > 0 && screenFrames > 0)
  const [, second, last] = seen
  assert.ok(second !== undefined && last !== undefined)
  assert.ok(last.heapBytes < second.heapBytes + GROWTH_MAX_BYTES, 'memory is given back')
})
