import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { TestCluster } from '../support/cluster.ts'
import { FAULTS } from '../support/cluster-faults.ts'
import { ClusterRounds } from '../support/cluster-rounds.ts'
import { postgresSkip } from '../support/postgres-folder.ts'
import { freshSeed, fromEnv, Random } from '../support/random.ts'
import { compileProgram } from '../support/server-process.ts'

/** Of each fault. */
const ROUNDS = fromEnv('CLUSTER_ROUNDS', 1)
const { CLUSTER_HISTORY = '' } = process.env
const random = new Random(freshSeed())
const rounds = postgresSkip === false ? await started() : null
after(() => rounds?.cluster.end())

async function started(): Promise<ClusterRounds> {
  await compileProgram()
  return ClusterRounds.start(random, await TestCluster.start())
}

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`nothing acknowledged is lost when ${name}`, { skip: postgresSkip }, async () => {
    for (let count = 0; count < ROUNDS; count++) {
      assert.ok(rounds !== null)
      const report = await rounds.round(fault)
      console.log(name, JSON.stringify(report))
      if (CLUSTER_HISTORY === '') continue
      // `make linearizable HISTORY=...` checks them in full.
      mkdirSync(CLUSTER_HISTORY, { recursive: true })
      rounds.history.write(join(CLUSTER_HISTORY, `round-${report.round}.jsonl`))
    }
  })
}

test('the folders of all nodes replay to one state', { skip: postgresSkip }, async () => {
  assert.ok(rounds !== null)
  await rounds.cluster.compareFolders()
})
