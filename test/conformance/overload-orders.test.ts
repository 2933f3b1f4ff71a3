import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import { Overload } from '../support/overload.ts'
import { freshSeed } from '../support/random.ts'
import { compileProgram } from '../support/server-process.ts'

// `make overload` for a moment; what a minute takes and how long it waits is for that to say.

const SECONDS = 3
const SEARCH_SECONDS = 1

await compileProgram()

test('of three times the orders it can take, the rest is told when to come back', async () => {
  const report = await Overload.run({
    ...{ dataDir: newFolder(), seconds: SECONDS, searchSeconds: SEARCH_SECONDS },
    ...{ seed: freshSeed(), say: console.log },
  })
  const { statuses } = report.flood
  console.log(JSON.stringify(statuses))
  assert.ok((statuses['503'] ?? 0) > 0, 'it was more than it can take')
  assert.ok(report.healthMs.length > 0 && report.cancelMs.length > 0)
})
