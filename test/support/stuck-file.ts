import { spawn } from 'node:child_process'
import { test } from 'node:test'

// A test file that gets stuck, for the test of those that run them: it leaves a child behind.

test('it ends', () => {})

test('it never ends', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  console.log(`child ${child.pid}`)
  await new Promise(() => setInterval(() => {}, 1000))
})
