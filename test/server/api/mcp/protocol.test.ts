import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownTools } from '../../../../server/api/mcp/mcp.ts'
import { answered, type Requested } from '../../../../server/api/mcp/protocol.ts'
import { at } from '../../../support/json-path.ts'
import { message, toolCall } from '../../../support/live-mcp.ts'

// One request of the protocol, without an exchange behind its tools.

const DONE = { content: [{ type: 'text' as const, text: '{}' }] }

function request(payload: unknown, use: Requested['use'] = async () => DONE): Promise<Response> {
  return answered({
    payload,
    protocolVersion: '',
    version: '1.2.3',
    tools: shownTools().tools,
    use,
  })
}

test('a fault of a tool is a fault of the request, and no later tool runs', async () => {
  const used: string[] = []
  const use: Requested['use'] = async (name) => {
    used.push(name)
    if (name === 'get_market') throw new Error('broken inside')
    return DONE
  }
  const names = ['get_my_orders', 'get_market', 'cancel_all_orders']
  const payload = names.map((name, id) => toolCall(name, {}, id))
  await assert.rejects(request(payload, use), /broken inside/)
  await new Promise(setImmediate)
  assert.deepEqual(used, ['get_my_orders', 'get_market'])
})

test('a tool waits for those before it, and answers keep the ids of their requests', async () => {
  const ends: (() => void)[] = []
  const use: Requested['use'] = () => new Promise((resolve) => ends.push(() => resolve(DONE)))
  const replied = request(
    ['a', 7, 'c'].map((id) => toolCall('get_my_balance', {}, id)),
    use,
  )
  for (let tool = 1; tool <= 3; tool++) {
    while (ends.length < tool) await new Promise(setImmediate)
    await new Promise(setImmediate)
    assert.equal(ends.length, tool, 'one tool is under way')
    ends[tool - 1]()
  }
  const body: unknown = await (await replied).json()
  assert.deepEqual(
    [0, 1, 2].map((index) => at(body, index, 'id')),
    ['a', 7, 'c'],
  )
})

test('the greeting names the exchange, its version and its tools, and no session', async () => {
  const reply = await request(
    message('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }),
  )
  assert.equal(reply.headers.get('mcp-session-id'), null)
  const { result } = Object(await reply.json())
  assert.equal(at(result, 'protocolVersion'), '2025-06-18')
  assert.deepEqual(at(result, 'serverInfo'), { name: 'outcomex', version: '1.2.3' })
  assert.deepEqual(at(result, 'capabilities'), { tools: {} })
  assert.match(String(at(result, 'instructions')), /search_markets/)
})
