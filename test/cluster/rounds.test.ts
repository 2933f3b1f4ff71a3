import { SEALS, TestCluster } from '../support/cluster.ts'
import { FAULTS } from '../support/cluster-faults.ts'
import { isLong, testRounds } from '../support/cluster-tests.ts'
import { postgresSkip } from '../support/postgres-folder.ts'

testRounds(FAULTS, postgresSkip, () => TestCluster.start(3, { flags: isLong ? SEALS : [] }))
