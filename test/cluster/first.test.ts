import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestCluster } from '../support/cluster.ts'
import { SHARE } from '../support/exchange-client.ts'
import { postgresSkip } from '../support/postgres-folder.ts'
import { compileProgram } from '../support/server-process.ts'

await compileProgram()

test('a killed leader is replaced and nothing acknowledged is lost', {
  skip: postgresSkip,
}, async () => {
  const cluster = await TestCluster.start()
  try {
    const first = await cluster.leader()
    const [other] = cluster.nodes.filter((node) => node !== first)
    const market = await other.client.makeMarket('rain', false)
    const trader = await other.client.makeTrader('trader', 1000 * SHARE)
    await cluster.level()
    const wanted = { isBuy: true, outcome: 'yes', ticks: 100, sizeRaw: SHARE, type: 'GTC' } as const
    for (let salt = 1; salt <= 20; salt++) {
      const node = cluster.nodes[salt % 3]
      await node.client.placed(trader, market, { ...wanted, salt, clientOrderId: `c${salt}` })
    }
    await first.kill()
    const second = await cluster.leader(first)
    for (let salt = 21; salt <= 40; salt++) {
      const node = cluster.up[salt % 2]
      await node.client.placed(trader, market, { ...wanted, salt, clientOrderId: `c${salt}` })
    }
    await first.start()
    await cluster.level()
    for (const node of cluster.nodes) {
      const orders = await node.client.userOrders(trader, 'rain')
      assert.equal(orders.length, 40)
    }
    assert.notEqual(second, first)
  } finally {
    await cluster.end()
  }
})
