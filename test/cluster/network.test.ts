import { SEALS, TestCluster } from '../support/cluster.ts'
import { FAULTS, NETWORK_FAULTS } from '../support/cluster-faults.ts'
import { longSkip, testRounds } from '../support/cluster-tests.ts'
import { Network, networkSkip } from '../support/network.ts'

// Each node and each server of the log on a machine of its own.

testRounds({ ...FAULTS, ...NETWORK_FAULTS }, longSkip || networkSkip(), () =>
  TestCluster.start(3, { network: Network.open(), flags: SEALS }),
)
