import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LiveSearch } from '../../../server/console/markets/live-search.ts'

// Search as one types, on a clock that the test moves and calls that it answers.

function desk() {
  const calls: {
    query: string
    signal: AbortSignal
    answer: (found: string) => void
    refuse: (error: Error) => void
  }[] = []
  const shown: (string | null)[] = []
  const failures: unknown[] = []
  let due: (() => void) | null = null
  const search = new LiveSearch<string>({
    search: (query, signal) =>
      new Promise((answer, refuse) => calls.push({ query, signal, answer, refuse })),
    show: (found) => shown.push(found),
    fail: (error) => failures.push(error),
    later(work) {
      due = work
      return () => {
        if (due === work) due = null
      }
    },
  })
  const pause = async () => {
    due?.()
    due = null
    await Promise.resolve()
  }
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  return { search, calls, shown, failures, pause, settle }
}

test('only what stands after a pause is requested', async () => {
  const { search, calls, pause } = desk()
  for (const text of ['r', 'ra', ' rain ']) search.type(text)
  assert.equal(calls.length, 0)
  await pause()
  assert.deepEqual(
    calls.map(({ query }) => query),
    ['rain'],
  )
  search.type('rain')
  await pause()
  assert.equal(calls.length, 1, 'the same words are not requested twice')
})

test('more words end the call before, and its late answer is not shown', async () => {
  const { search, calls, shown, failures, pause, settle } = desk()
  search.type('rain')
  await pause()
  search.type('rainbow')
  assert.equal(calls[0]?.signal.aborted, true)
  await pause()
  calls[1]?.answer('bows')
  await settle()
  calls[0]?.answer('rains')
  await settle()
  assert.deepEqual(shown, ['bows'])
  assert.deepEqual(failures, [])
})

test('an ended call that fails says nothing; a failed one says so', async () => {
  const { search, calls, failures, pause, settle } = desk()
  search.type('rain')
  await pause()
  search.type('snow')
  calls[0]?.refuse(new Error('aborted'))
  await pause()
  calls[1]?.refuse(new Error('busy'))
  await settle()
  assert.deepEqual(failures, [new Error('busy')])
})

test('an empty field shows the list again at once, and ends the call', async () => {
  const { search, calls, shown, pause, settle } = desk()
  search.type('rain')
  await pause()
  search.type('  ')
  assert.deepEqual(shown, [null])
  assert.equal(calls[0]?.signal.aborted, true)
  calls[0]?.answer('rains')
  await settle()
  assert.deepEqual(shown, [null])
})

test('nothing is requested or shown after a stop', async () => {
  const { search, calls, shown, pause } = desk()
  search.type('rain')
  search.stop()
  await pause()
  assert.equal(calls.length, 0)
  assert.deepEqual(shown, [])
})
