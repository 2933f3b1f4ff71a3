import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { noteProgress } from './progress.ts'

// A test file that notes progress and never ends, for the tests of the test runner.

test('it waits forever', async () => {
  for (;;) {
    noteProgress()
    await pause(50)
  }
})
