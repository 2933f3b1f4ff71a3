import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import { Overload } from '../support/overload.ts'
import { freshSeed } from '../support/random.ts'
import { compileProgram } from '../support/server-process.ts'

// A short `make overload`; only the long run says what a minute takes and how long orders wait.

const SECONDS = 2
const SEARCH_SECONDS = 1

await compileProgram()

test('under three times the highest rate, refused orders carry the time to retry', async () => {
  const report = await Overload.run({
    dataDir: newFolder(),
    seconds: SECONDS,
    searchSeconds: SEARCH_SECONDS,
    seed: freshSeed(),
    say: console.log,
  })
  const { statuses } = report.flood
  console.log(JSON.stringify(statuses))
  assert.ok((statuses['503'] ?? 0) > 0, 'the load is more than the exchange can take')
  assert.ok(report.healthMs.length > 0 && report.cancelMs.length > 0)
})
