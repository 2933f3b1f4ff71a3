import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOOLS } from '../../server/api/mcp/mcp.ts'
import { shownTable } from '../support/doc-tables.ts'
import { exchange } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import { openProgram } from '../support/live-mcp.ts'

test('the configuration that the page shows opens the tools', async () => {
  const { live } = await exchange()
  const { tokenId, secret } = await live.trader(1_000_000)
  await live.openMarket('rain-tomorrow')
  const shown = shownTable({ page: 'api', mark: 'mcp-config' })
  const text = shown.replace(/^```json\n/, '').replace(/\n```$/, '')
  const config: unknown = JSON.parse(text.replace('TOKEN_ID.SECRET', `${tokenId}.${secret}`))
  const server = at(config, 'mcpServers', 'outcomex')
  assert.deepEqual([at(server, 'type'), at(server, 'url')], ['http', 'http://127.0.0.1:3000/mcp'])
  const authorization = textAt(server, 'headers', 'Authorization')
  const program = await openProgram(live, { headers: { authorization } })
  assert.equal((await program.client.listTools()).tools.length, TOOLS.length)
  const market = await program.use('get_market', { addressOrSlug: 'rain-tomorrow' })
  assert.equal(at(market.body, 'slug'), 'rain-tomorrow')
  assert.equal(at((await program.use('get_my_balance')).body, 'free'), '1000000')
  await program.end()
})
