import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TestCluster } from './cluster.ts'
import { CLOCKS, LASTING } from './cluster-faults.ts'
import { type ClusterFault, ClusterRounds } from './cluster-rounds.ts'
import { postgresSkip } from './postgres-folder.ts'
import { freshSeed, fromEnv, Random } from './random.ts'
import { compileProgram } from './server-process.ts'

const longRounds = fromEnv('CLUSTER_ROUNDS', 0)
/** Whether this is a part of `make cluster`. */
export const isLong = longRounds > 0
/** Of each fault. */
const ROUNDS = isLong ? longRounds : 1
/** Replies before a fault, behind it, and behind its repair. */
export const REPLIES = isLong ? 40 : 15
/** A heartbeat fires in one round of so many: it takes seconds. */
const CANCELED_EACH = 3
/** Why a test of the long form is skipped, or false. */
export const longSkip = isLong ? postgresSkip : 'a part of `make cluster`'
const { CLUSTER_HISTORY = '' } = process.env

/** A test for each fault, and one for the folders at the end, all with the same cluster. */
export function testRounds(
  faults: Readonly<Record<string, ClusterFault>>,
  skip: string | false,
  start: () => Promise<TestCluster>,
): void {
  let rounds: ClusterRounds | undefined
  const started = async () => {
    await compileProgram()
    rounds ??= await ClusterRounds.start(new Random(freshSeed()), await start(), REPLIES)
    return rounds
  }
  after(() => rounds?.cluster.end())

  for (const [name, fault] of Object.entries(faults)) {
    test(`nothing acknowledged is lost when ${name}`, { skip }, async () => {
      const all = await started()
      const end = await LASTING[name]?.(all.cluster)
      for (let count = 0; count < ROUNDS; count++) {
        const isCanceled = name !== CLOCKS && count % CANCELED_EACH === CANCELED_EACH - 1
        const report = await all.round(fault, isCanceled)
        console.log(name, JSON.stringify(report))
        if (CLUSTER_HISTORY === '') continue
        // `make linearizable HISTORY=...` checks them in full.
        mkdirSync(CLUSTER_HISTORY, { recursive: true })
        all.history.write(join(CLUSTER_HISTORY, `${process.pid}-${report.round}.jsonl`))
      }
      await end?.()
    })
  }

  test('the folders of all nodes replay to one state', { skip }, async () => {
    const { cluster } = await started()
    await cluster.compareFolders()
  })
}
