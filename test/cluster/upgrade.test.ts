import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import { TestCluster, type TestNode } from '../support/cluster.ts'
import { REPLACED } from '../support/cluster-faults.ts'
import { programWithRules } from '../support/compiled.ts'
import { SHARE } from '../support/exchange-client.ts'
import { postgresSkip } from '../support/postgres-folder.ts'
import { ADMIN_TOKEN, compileProgram, runProgram } from '../support/server-process.ts'
import { until } from '../support/until.ts'

// Two versions of the program in one cluster: the newer one knows rules that the older does not.

const OLD = RULES_VERSION
const NEW = OLD + 1

async function rulesOf(nodes: readonly TestNode[]): Promise<(number | undefined)[]> {
  const views = await Promise.all(nodes.map((node) => node.view()))
  return views.map((view) => view?.rules)
}

const options = { skip: postgresSkip }

test('a cluster is upgraded node by node, and trades all the time', options, async () => {
  await compileProgram()
  const newer = await programWithRules(NEW)
  const cluster = await TestCluster.start()
  after(() => cluster.end())
  const { nodes } = cluster
  const first = await cluster.leader()
  const [second, third] = nodes.filter((node) => node !== first)
  const market = await first.client.makeMarket('rain', false)
  const trader = await first.client.makeTrader('trader', 1000 * SHARE)
  let orders = 0
  const trade = async () => {
    const terms = { isBuy: true, outcome: 'yes', ticks: 100, sizeRaw: SHARE, type: 'GTC' } as const
    await cluster.leader()
    for (const node of cluster.up) {
      await node.client.placed(trader, market, { ...terms, salt: ++orders })
    }
    await cluster.level()
  }
  await trade()
  assert.deepEqual(await rulesOf(nodes), [OLD, OLD, OLD])

  await third.process.stop()
  await second.process.stop()
  second.program = newer
  await second.start()
  await trade()

  // A newer node leads by the older rules, because older nodes are listed.
  const { ended } = first.process
  const handOver = () => second.client.adminReply('/admin/cluster/hand-over', {})
  // The leader waits for a standby that it has seen within a lease.
  await until(async () => (await handOver()).status === 202)
  assert.equal((await ended).code, REPLACED)
  assert.equal(await cluster.leader(first), second)
  await trade()
  first.program = newer
  await first.start()
  await trade()
  assert.deepEqual(await rulesOf([first, second]), [OLD, OLD])

  const words = ['remove', third.name, '--url', first.client.baseUrl]
  const removed = await runProgram(['cluster', ...words, '--admin-token', ADMIN_TOKEN])
  assert.equal(removed.code, 0, removed.stderr)
  await until(async () => (await rulesOf([first, second])).every((rules) => rules === NEW))
  await trade()

  // Nothing in its folder is newer; what it follows is.
  const end = await third.start().then(() => third.ended, String)
  const why = `rules ${NEW}; this version has ${OLD}); start the version that wrote it`
  assert.ok(JSON.stringify(end).includes(why), JSON.stringify(end))
  third.program = newer
  await third.start()
  await trade()
  assert.deepEqual(await rulesOf(nodes), [NEW, NEW, NEW])
  for (const { client } of nodes) {
    assert.equal((await client.userOrders(trader, 'rain')).length, orders)
  }
})
