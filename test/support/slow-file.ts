import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

// A slow test file that makes progress, for the tests of the test runner.

test('it says a line now and then', async () => {
  for (let line = 0; line < 30; line++) {
    await pause(300)
    console.log(line)
  }
})
