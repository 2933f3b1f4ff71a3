import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { exchange } from '../../../support/exchange.ts'
import { AT_ONCE, byBearer, message, say, toolCall } from '../../../support/live-mcp.ts'
import { codeOf } from '../../../support/replies.ts'
import { readTree } from '../../../support/source-tree.ts'

// The protocol runs off main, and what a request of it costs.

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const LIST = message('tools/list')

test('main never loads the library: its only importer is the file of the thread', () => {
  const importers = readTree(ROOT)
    .filter(({ path }) => path.startsWith('server/'))
    .filter(({ path }) => readFileSync(`${ROOT}/${path}`, 'utf8').includes("/protocol.ts'"))
    .map(({ path }) => path)
  assert.deepEqual(importers, ['server/api/mcp/mcp.worker.ts'])
})

test('a request costs a token for each of its messages', async () => {
  const { live } = await exchange({ flags: ['--rate-private', '1:16'], limited: true })
  const trader = await live.trader(0)
  const several = Array.from({ length: AT_ONCE }, (_, id) => ({ ...LIST, id }))
  const left = (reply: { headers: Headers }) => Number(reply.headers.get('ratelimit-remaining'))
  const first = await say(live, byBearer(trader), several)
  assert.equal(first.status, 200)
  // Two slow calls give back a token or two.
  assert.ok(left(first) <= 16 - AT_ONCE + 2, `${left(first)} left`)
  const replies = []
  for (let call = 0; call < 4; call++) replies.push(await say(live, byBearer(trader), several))
  const refused = replies.find(({ status }) => status === 429)
  assert.ok(refused !== undefined && codeOf(refused) === 'RATE_LIMITED')
})

test('the list of tools is the same alone, in a list, and through the library', async () => {
  const { live } = await exchange()
  const trader = await live.trader(0)
  const proof = byBearer(trader)
  const alone = await say(live, proof, { ...LIST, id: 'one' })
  const { result, id } = Object(alone.body)
  assert.equal(id, 'one')
  assert.ok(result.tools.length > 10)
  const listed = await say(live, proof, [
    { ...LIST, id: 1 },
    { ...LIST, id: 2 },
  ])
  const answers = Object.values(Object(listed.body))
  assert.deepEqual(answers, [
    { result, jsonrpc: '2.0', id: 1 },
    { result, jsonrpc: '2.0', id: 2 },
  ])
  const mixed = await say(live, proof, [
    { ...LIST, id: 1 },
    { ...message('ping'), id: 2 },
  ])
  const found = Object.values(Object(mixed.body)).find((each) => Object(each).id === 1)
  assert.deepEqual(Object(found).result, result)
  const odd = { headers: { ...proof.headers, 'mcp-protocol-version': '1999-01-01' } }
  assert.equal((await say(live, odd, LIST)).status, 400)
})

test('a thread that ends costs its requests, and the next request starts another', async () => {
  const { live } = await exchange()
  const trader = await live.trader(0)
  const ping = () => say(live, byBearer(trader), { ...message('ping'), id: 1 })
  assert.equal((await ping()).status, 200)
  const balance = say(live, byBearer(trader), toolCall('get_my_balance', {}, 1))
  await live.services.mcp.stop()
  const ended = await balance
  assert.ok(ended.status === 200 || ended.status === 500, ended.text)
  live.faults.splice(0)
  assert.equal((await ping()).status, 200)
})
