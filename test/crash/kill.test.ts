import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CrashRounds } from '../support/crash-rounds.ts'
import { newFolder } from '../support/data-folder.ts'
import { freshSeed, fromEnv, Random } from '../support/random.ts'
import { compileProgram } from '../support/server-process.ts'

const ROUNDS = fromEnv('CRASH_ROUNDS', 6)
const random = new Random(freshSeed())
await compileProgram()
const rounds = await CrashRounds.start(newFolder(), random)
after(() => rounds.end())

test(`a kill at any of ${ROUNDS} moments loses nothing that was acknowledged`, async () => {
  for (let count = 0; count < ROUNDS; count++) console.log(JSON.stringify(await rounds.round()))
  assert.ok(rounds.reported.canceled.size > 0, 'cancels were acknowledged')
  assert.ok(rounds.held > 0, 'orders were held')
  assert.ok(rounds.closedGroups > 0, 'order groups were closed')
  assert.ok(rounds.reported.exactBalances > 0, 'balances were compared to the unit')
})

test('a stop by SIGTERM reports the state that the next start recovers', () => rounds.goodStop())
