import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { noteProgress } from './progress.ts'

// A slow test file that writes nothing and notes its progress, for the tests of the test runner.

test('it notes its progress', async () => {
  for (let step = 0; step < 30; step++) {
    await pause(300)
    noteProgress()
  }
})
