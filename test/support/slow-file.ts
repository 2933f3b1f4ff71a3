import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

// A test file that is slow and gets on, for the test of those that run them.

test('it says a line now and then', async () => {
  for (let line = 0; line < 30; line++) {
    await pause(300)
    console.log(line)
  }
})
