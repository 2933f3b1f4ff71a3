import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkerFault } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { FAULT_VARIABLE } from '../../../engine/thread/fault-point.ts'
import { profiles } from '../../../persistence/query/read/profiles.ts'
import { newFolder } from '../../support/data-folder.ts'
import { fill, openForTest } from '../../support/open-pipeline.ts'
import { patientSlice } from '../../support/patient-slice.ts'

const GREEDY = 1
const MODEST = 2

async function opened() {
  const exchange = await openForTest(newFolder(), { nowMs: 1_800_000_000_000 })
  await fill(exchange, 1)
  // No deadline passes: the queue alone decides.
  const request = (owner: number) => exchange.query.request(profiles, [1], patientSlice(owner))
  return { exchange, request }
}

test('in a full queue the newest question of the longest line gives way to another', async () => {
  const { exchange, request } = await opened()
  const { query } = exchange
  const greedy = Array.from({ length: LIMITS.queryQueueMax }, () => request(GREEDY))
  // The line of the caller is the longest, so no question gives way to one more of it.
  const refused = request(GREEDY)
  const modest = request(MODEST)
  assert.equal(query.waiting, LIMITS.queryQueueMax)
  assert.equal(await refused, undefined)
  assert.equal((await modest)?.length, 1)
  const answers = await Promise.all(greedy)
  assert.deepEqual(
    answers.flatMap((answer, index) => (answer === undefined ? index : [])),
    [greedy.length - 1],
  )
})

test('a query that breaks its thread is lost alone; the others are sent again', async () => {
  // The fault is for the first thread only; the next one is whole.
  process.env[FAULT_VARIABLE] = 'query-ends:4'
  const { request } = await opened()
  const params = Array.from({ length: 12 }, () => request(GREEDY))
  delete process.env[FAULT_VARIABLE]
  const answers = await Promise.allSettled(params)
  const broken = answers.filter((answer) => answer.status === 'rejected')
  assert.equal(broken.length, 1)
  assert.ok(broken[0].reason instanceof WorkerFault)
  for (const answer of answers) {
    if (answer.status === 'fulfilled') assert.equal(answer.value?.length, 1)
  }
})
