import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refresher } from '../../../server/console/page/refresher.ts'

// Reads of the console that are made again after events.

function gate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, passed }
}

test('however often a read is wanted, one runs at a time, and one more after it', async () => {
  const begun: ReturnType<typeof gate>[] = []
  const starts = [gate(), gate(), gate()]
  const refresher = new Refresher(async () => {
    const own = gate()
    starts[begun.length]?.open()
    begun.push(own)
    await own.passed
  }, 0)
  refresher.refresh()
  await starts[0]?.passed
  for (let each = 0; each < 5; each++) refresher.refresh()
  assert.equal(begun.length, 1)
  begun[0]?.open()
  await starts[1]?.passed
  assert.equal(begun.length, 2)
  refresher.refresh()
  refresher.stop()
  begun[1]?.open()
  await new Promise((resolve) => setTimeout(resolve, 0))
  await new Promise(setImmediate)
  assert.equal(begun.length, 2)
})

test('a read under way is ended by the stop', async () => {
  const started = gate()
  const ended = gate()
  const refresher = new Refresher(async (signal) => {
    signal.addEventListener('abort', () => ended.open())
    started.open()
    await ended.passed
  }, 0)
  refresher.refresh()
  await started.passed
  refresher.stop()
  await ended.passed
})
