import { spawn } from 'node:child_process'
import { test } from 'node:test'

// A test file that gets stuck and leaves a child behind, for the tests of the test runner.

test('it ends', () => {})

test('it never ends', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  console.log(`child ${child.pid}`)
  await new Promise(() => setInterval(() => {}, 1000))
})
