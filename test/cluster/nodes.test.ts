import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openReadOnly } from '../../persistence/database.ts'
import { journalPath } from '../../persistence/journal/journal-end.ts'
import { archivedNames } from '../../persistence/journal/segments/segment-folder.ts'
import { SEALS, TestCluster, type TestNode } from '../support/cluster.ts'
import { REPLACED } from '../support/cluster-faults.ts'
import { newFolder } from '../support/data-folder.ts'
import { SHARE, type TestMarket, type Trader } from '../support/exchange-client.ts'
import { postgresSkip } from '../support/postgres-folder.ts'
import {
  ADMIN_TOKEN,
  compileProgram,
  runProgram,
  ServerProcess,
} from '../support/server-process.ts'
import { until } from '../support/until.ts'

// What a user and an operator meet at the nodes of a cluster.

const cluster = postgresSkip === false ? await started() : null
after(() => cluster?.end())

async function started(): Promise<TestCluster> {
  await compileProgram()
  return TestCluster.start(3, { flags: SEALS })
}

function nodesOf() {
  assert.ok(cluster !== null)
  return cluster
}

let market: TestMarket
let trader: Trader
const wanted = { isBuy: true, outcome: 'yes', ticks: 100, sizeRaw: SHARE, type: 'GTC' } as const
const options = { skip: postgresSkip }

test('what one node acknowledged, every node shows from its seq on', options, async () => {
  const { nodes } = nodesOf()
  market = await nodes[0].client.makeMarket('rain', false)
  trader = await nodes[1].client.makeTrader('trader', 1000 * SHARE)
  for (let salt = 1; salt <= 10; salt++) {
    const baseUrl = nodes[salt % 3].client.baseUrl
    const posted = await fetch(`${baseUrl}/admin/balances`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ profileId: trader.profileId, collateralRaw: SHARE }),
    })
    const seq = posted.headers.get('x-seq') ?? ''
    assert.match(seq, /^[1-9]\d*$/)
    for (const node of nodes) {
      const read = await fetch(`${node.client.baseUrl}/admin/profiles?limit=50`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-min-seq': seq },
      })
      assert.equal(read.status, 200)
      assert.ok(Number(read.headers.get('x-seq')) >= Number(seq))
    }
  }
})

test('X-Min-Seq has a form and a bound', options, async () => {
  const { nodes } = nodesOf()
  const statusOf = async (minSeq: string) => {
    const headers = { 'x-min-seq': minSeq }
    const reply = await fetch(`${nodes[2].client.baseUrl}/markets/rain`, { headers })
    return [reply.status, reply.headers.get('retry-after')]
  }
  assert.deepEqual(await statusOf('-1'), [400, null])
  assert.deepEqual(await statusOf('1e3'), [400, null])
  assert.deepEqual(await statusOf('1000000000'), [503, '1'])
})

test('a call that claims to come from a node is answered as its own', options, async () => {
  const { nodes } = nodesOf()
  const forged = `${Date.now()} 203.0.113.7 ${'0'.repeat(64)}`
  for (const node of nodes) {
    const reply = await node.client.call(trader, 'POST', '/heartbeats', '{}', {
      'x-outcomex-forwarded': forged,
    })
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
  }
})

test('a hand-over loses nothing, and the old leader returns as a standby', options, async () => {
  const all = nodesOf()
  const leader = await all.leader()
  const { ended } = leader.process
  const [other] = all.up.filter((node) => node !== leader)
  const { status } = await other.client.adminReply('/admin/cluster/hand-over', {})
  assert.equal(status, 202)
  assert.equal((await ended).code, REPLACED)
  await all.leader(leader)
  await other.client.placed(trader, market, { ...wanted, salt: 1, clientOrderId: 'c1' })
  await leader.start()
  await all.level()
  assert.equal((await leader.client.userOrders(trader, 'rain')).length, 1)
})

/** The segments that the journal lists: a file alone may be unfinished. */
function segmentsIn(dataDir: string): number {
  const journal = openReadOnly(journalPath(dataDir))
  try {
    return journal.prepare<[], number>('SELECT count(*) FROM segments').pluck().all()[0]
  } finally {
    journal.close()
  }
}

/** Places orders until the node and another one have segments. */
async function madeSegments(leader: TestNode): Promise<void> {
  const standby = nodesOf().up.find((node) => node !== leader)
  assert.ok(standby !== undefined)
  let salt = 1000
  await until(async () => {
    await leader.client.placed(trader, market, { ...wanted, salt: ++salt })
    return [leader, standby].every(({ dataDir }) => segmentsIn(dataDir) > 0)
  }, 1)
}

test('a node that joins has what the others have', options, async () => {
  const all = nodesOf()
  const standby = all.nodes[1]
  await standby.kill()
  const dataDir = newFolder()
  const leader = await all.leader()
  await madeSegments(leader)
  const words = [leader.client.baseUrl, '--data', dataDir, '--key-file', all.keyFile]
  const joined = await runProgram(['join', ...words, '--admin-token', ADMIN_TOKEN])
  assert.equal(joined.code, 0, joined.stderr)
  assert.match(joined.stdout, /^seq \d+, \d+ files/)
  const taken = archivedNames(dataDir)
  assert.ok(taken.length > 0 && taken.every((name) => name.endsWith('.seg')), taken.join())
  const log = ['--journal', all.servers.url]
  const verified = await runProgram([
    'verify',
    '--data',
    dataDir,
    '--key-file',
    all.keyFile,
    ...log,
  ])
  assert.equal(verified.code, 0, verified.stderr)
  assert.match(verified.stdout, /holds what the log holds, up to seq \d+/)
  standby.dataDir = dataDir
  await standby.start()
  await all.level()
  const [shown, expected] = await Promise.all(
    [standby, leader].map(({ client }) => client.userOrders(trader, 'rain')),
  )
  assert.equal(shown.length, expected.length)
})

test('a node with another history refuses the log', options, async () => {
  const all = nodesOf()
  const standby = all.nodes[1]
  await standby.kill()
  const own = newFolder()
  const { port } = standby.place
  const alone = await ServerProcess.start({ dataDir: own, args: ['--port', String(port)] })
  await standby.client.makeMarket('snow', false)
  await alone.stop()
  const words = ['serve', '--data', own, '--port', '0', '--journal', all.servers.url]
  const node = ['--node', 'stranger', '--advertise', `http://127.0.0.1:${port}`]
  const refused = await runProgram([...words, ...node])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /the log of another exchange, or has lost acknowledged commands/)
  await standby.start()
  await all.level()
})

test('operators see all nodes, and remove those that are gone', options, async () => {
  const all = nodesOf()
  const url = all.nodes[0].client.baseUrl
  const token = ['--url', url, '--admin-token', ADMIN_TOKEN]
  const shown = await runProgram(['cluster', 'status', ...token])
  assert.equal(shown.code, 0, shown.stderr)
  assert.match(shown.stdout, /^role (leader|standby)$/m)
  for (const { name } of all.nodes) assert.match(shown.stdout, new RegExp(`^${name} +http`, 'm'))
  const unknown = await runProgram(['cluster', 'remove', 'z', ...token])
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /No node has this name/)
})
