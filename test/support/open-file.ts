import { test } from 'node:test'

// What a failed test leaves when it did not reach its last line: it keeps the process alive.

test('fails', () => {
  setInterval(() => {}, 1000)
  throw new Error('the test failed')
})

test('passes', () => {})
