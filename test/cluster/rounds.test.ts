import { SEALS, TestCluster } from '../support/cluster.ts'
import { FAULTS } from '../support/cluster-faults.ts'
import { ROUNDS, testRounds } from '../support/cluster-tests.ts'
import { postgresSkip } from '../support/postgres-folder.ts'

testRounds(FAULTS, postgresSkip, () => TestCluster.start(3, { flags: ROUNDS > 1 ? SEALS : [] }))
