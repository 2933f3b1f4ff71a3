import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FAULTS } from '../support/cluster-faults.ts'
import { ClusterRounds } from '../support/cluster-rounds.ts'
import { postgresSkip } from '../support/postgres-folder.ts'
import { freshSeed, fromEnv, Random } from '../support/random.ts'
import { compileProgram } from '../support/server-process.ts'

/** Of each fault. */
const ROUNDS = fromEnv('CLUSTER_ROUNDS', 1)
const random = new Random(freshSeed())
const rounds = postgresSkip === false ? await started() : null
after(() => rounds?.cluster.end())

async function started(): Promise<ClusterRounds> {
  await compileProgram()
  return ClusterRounds.start(random)
}

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`nothing acknowledged is lost when ${name}`, { skip: postgresSkip }, async () => {
    for (let count = 0; count < ROUNDS; count++) {
      console.log(name, JSON.stringify(await rounds?.round(fault)))
    }
  })
}

test('what clients saw is a history of one exchange', { skip: postgresSkip }, async () => {
  assert.ok(rounds !== null)
  await rounds.checkHistory()
  // `make linearizable HISTORY=...` checks it in full.
  const { CLUSTER_HISTORY } = process.env
  if (CLUSTER_HISTORY !== undefined) rounds.history.write(CLUSTER_HISTORY)
})

test('the folders of all nodes replay to one state', { skip: postgresSkip }, async () => {
  assert.ok(rounds !== null)
  await rounds.compareFolders()
})
