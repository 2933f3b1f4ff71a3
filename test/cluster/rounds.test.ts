import { TestCluster } from '../support/cluster.ts'
import { FAULTS } from '../support/cluster-faults.ts'
import { testRounds } from '../support/cluster-tests.ts'
import { postgresSkip } from '../support/postgres-folder.ts'

testRounds(FAULTS, postgresSkip, () => TestCluster.start())
