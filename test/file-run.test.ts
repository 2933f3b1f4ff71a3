import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runFile } from './support/file-run.ts'

// Long enough for a slow machine to start a file, short enough to wait for.
const SILENCE_MS = 8000
const patience = { silenceMs: SILENCE_MS, testMs: 600_000 }
const fileOf = (name: string) => fileURLToPath(new URL(`./support/${name}.ts`, import.meta.url))

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

// Each waits for its file alone: they wait side by side.
describe('a run of one test file', { concurrency: true }, () => {
  test('a file that does nothing any more is ended with all its processes', async () => {
    const report = await runFile(fileOf('stuck-file'), patience)
    assert.equal(report.tests, 1, 'the first test ended')
    assert.equal(report.failed, 1)
    assert.match(report.failures[0], /no progress for 8 s during "it never ends"/)
    const pid = Number(/child ([0-9]+)/.exec(report.output.join(''))?.[1])
    assert.ok(pid > 0, 'the file started a child')
    while (isAlive(pid)) await new Promise(setImmediate)
  })

  test('a file whose failed test left something open is ended long before', async () => {
    const report = await runFile(fileOf('open-file'), { ...patience, silenceMs: 600_000 })
    assert.equal(report.tests, 2)
    assert.match(report.failures[0], /the test failed/)
    assert.match(report.failures[1], /left something open after its tests/)
  })

  test('a file that makes progress may take longer than the limit', async () => {
    const report = await runFile(fileOf('slow-file'), patience)
    assert.deepEqual([report.tests, report.failed], [1, 0], report.failures.join())
    assert.ok(report.tookMs > SILENCE_MS)
  })

  test('a file that only notes its progress may take longer too', async () => {
    const report = await runFile(fileOf('steady-file'), patience)
    assert.deepEqual([report.tests, report.failed], [1, 0], report.failures.join())
    assert.ok(report.tookMs > SILENCE_MS)
  })

  test('a file that notes progress in a test that never ends is ended', async () => {
    const report = await runFile(fileOf('endless-file'), { ...patience, testMs: 12_000 })
    assert.deepEqual([report.tests, report.failed], [0, 1])
    assert.match(report.failures[0], /no test began or ended for 12 s during "it waits forever"/)
  })

  test('a file that holds no test fails', async () => {
    const report = await runFile(fileOf('empty-file'), patience)
    assert.equal(report.failed, 1)
    assert.match(report.failures[0], /holds no test/)
  })
})
