import assert from 'node:assert/strict'
import { onMachine, type TestCluster, type TestNode } from './cluster.ts'
import type { ClusterFault } from './cluster-rounds.ts'

// What may happen to a cluster, one fault at a time; each says how it is repaired.

/** A node that another one replaced ends with this code, for its supervisor to start it again. */
export const REPLACED = 75
const HOUR_MS = 3_600_000
/** The fault after which a heartbeat fires at another time than its client expects. */
export const CLOCKS = 'the clocks of the nodes are an hour apart'

function standbyOf({ up }: TestCluster, leader: TestNode): TestNode {
  const found = up.find((node) => node !== leader)
  assert.ok(found !== undefined)
  return found
}

async function restartedAfterEnd(
  node: TestNode,
  ended: TestNode['process']['ended'],
): Promise<void> {
  const { code, stderr } = await ended
  assert.equal(code, REPLACED, stderr)
  await node.startAgain()
}

async function leaderKilled(_cluster: TestCluster, leader: TestNode) {
  await leader.kill()
  return { isReplaced: true, repair: () => leader.start() }
}

async function setClock(node: TestNode, clockAheadMs: number): Promise<void> {
  await node.kill()
  node.clockAheadMs = clockAheadMs
  await node.start()
}

/** What lasts through all rounds of a fault; resolves with what ends it. */
export const LASTING: Readonly<Record<string, (cluster: TestCluster) => Promise<() => unknown>>> = {
  [CLOCKS]: async (cluster) => {
    const leader = await cluster.leader()
    const [ahead, behind] = cluster.up.filter((node) => node !== leader)
    await setClock(ahead, HOUR_MS)
    await setClock(behind, -HOUR_MS)
    return async () => {
      await setClock(ahead, 0)
      await setClock(behind, 0)
      await cluster.leader()
    }
  },
}

export const FAULTS: Readonly<Record<string, ClusterFault>> = {
  'the leader is killed': leaderKilled,

  'the leader is suspended, replaced and continued': async (cluster, leader) => {
    const { process } = leader
    process.signal('SIGSTOP')
    leader.isAway = true
    return {
      isReplaced: true,
      repair: async () => {
        await cluster.leader(leader)
        process.signal('SIGCONT')
        leader.isAway = false
        await restartedAfterEnd(leader, process.ended)
      },
    }
  },

  'the leader is cut from the log': async (_cluster, leader) => {
    const { ended } = leader.process
    for (const link of leader.place.toLog) link.cut()
    return {
      isReplaced: true,
      repair: async () => {
        for (const link of leader.place.toLog) await link.restore()
        await restartedAfterEnd(leader, ended)
      },
    }
  },

  'the log does not answer the leader': async (_cluster, leader) => {
    const { ended } = leader.process
    for (const link of leader.place.toLog) link.blackhole('down')
    return {
      isReplaced: true,
      repair: async () => {
        for (const link of leader.place.toLog) await link.restore()
        await restartedAfterEnd(leader, ended)
      },
    }
  },

  'the other nodes are cut from the leader': async (_cluster, leader) => {
    leader.place.toNode.cut()
    return { isReplaced: false, repair: () => leader.place.toNode.restore() }
  },

  'the clients are cut from the leader': async (_cluster, leader) => {
    leader.place.toClients.cut()
    leader.isAway = true
    return {
      isReplaced: false,
      repair: async () => {
        await leader.place.toClients.restore()
        leader.isAway = false
      },
    }
  },

  'a standby is killed': async (cluster, leader) => {
    const standby = standbyOf(cluster, leader)
    await standby.kill()
    return { isReplaced: false, repair: () => standby.start() }
  },

  [CLOCKS]: leaderKilled,

  'the primary of the log is killed and a standby promoted': async ({ servers }) => {
    const primary = await primaryOf(servers)
    await primary.kill()
    const promoted = await servers.failOver()
    return { isReplaced: false, repair: () => primary.rejoin(promoted) }
  },

  'the leader and the primary of the log are killed': async ({ servers }, leader) => {
    const primary = await primaryOf(servers)
    await Promise.all([leader.kill(), primary.kill()])
    const promoted = await servers.failOver()
    return {
      isReplaced: true,
      repair: async () => {
        await primary.rejoin(promoted)
        await leader.start()
      },
    }
  },
}

/** Faults of machines on a network. */
export const NETWORK_FAULTS: Readonly<Record<string, ClusterFault>> = {
  'the machine of the leader is unplugged': async (cluster, leader) => {
    const { ended } = leader.process
    const machine = onMachine(leader.place)
    machine.unplug()
    leader.isAway = true
    return {
      isReplaced: true,
      repair: async () => {
        await cluster.leader(leader)
        machine.plugIn()
        leader.isAway = false
        await restartedAfterEnd(leader, ended)
      },
    }
  },

  'the machine of the primary of the log is unplugged and a standby promoted': async ({
    servers,
  }) => {
    const primary = await primaryOf(servers)
    const machine = onMachine(primary)
    machine.unplug()
    const promoted = await servers.failOver(primary)
    return {
      isReplaced: false,
      repair: async () => {
        machine.plugIn()
        await primary.rejoin(promoted)
      },
    }
  },
}

async function primaryOf(servers: TestCluster['servers']) {
  for (const server of servers.all) {
    if (server.isUp && !(await server.isStandby())) return server
  }
  assert.fail('a server of the log is the primary')
}
