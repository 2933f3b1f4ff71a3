import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import autocannon from 'autocannon'
import { integer, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../server/edge/http/schema/schema.ts'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient, headersFor, orderBody, SHARE, shaped } from '../support/exchange-client.ts'
import { compileProgram, ServerProcess, verify } from '../support/server-process.ts'

// autocannon against the running demo. A load that the machine can take gives no 5xx. Beyond it,
// readers get only 503 with Retry-After. overload-orders.test.ts does the same with orders.

const ORDERS = 4000
const MODERATE_CONNECTIONS = 8
/** More than the questions that may wait for the query thread. */
const FLOOD_CONNECTIONS = 1800
const FLOOD_SEC = 3

await compileProgram()
const dataDir = newFolder()
const server = await ServerProcess.start({ dataDir, demo: true, args: ['--no-rate-limit'] })
after(() => server.signal('SIGKILL'))
const demoShape = compile(openObject({ adminToken: text() }))
const demo = shaped(demoShape, JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')))
const client = new ExchangeClient(server.baseUrl, demo.adminToken)
const market = await client.makeMarket('busy-market', true)
const trader = await client.makeTrader('busy trader', 1_000_000_000 * SHARE)

type Options = autocannon.Options
const headShape = compile(openObject({ statusCode: integer(100, 599), headers: list(text()) }))

interface Fired {
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>
  /** 503s without a Retry-After. */
  readonly silent503: number
  readonly errors: number
}

/** `errors` are broken connections, and requests without a reply in time. */
async function fire(options: Omit<Options, 'url'>): Promise<Fired> {
  const statuses: Record<string, number> = {}
  let silent503 = 0
  const onHead = (head: unknown) => {
    const { statusCode, headers } = shaped(headShape, head)
    statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
    const names = headers.map((word) => word.toLowerCase())
    if (statusCode === 503 && !names.includes('retry-after')) silent503++
  }
  const setupClient: Options['setupClient'] = (each) => {
    each.on('headers', onHead)
  }
  const { errors } = await autocannon({ ...options, url: server.baseUrl, setupClient })
  return { statuses, silent503, errors }
}

function signedPost(body: string) {
  const call = { method: 'POST', path: '/orders', body }
  return { method: 'POST' as const, path: call.path, body, headers: headersFor(trader, call) }
}

function orderOf(salt: number): string {
  const isBuy = true
  const outcome = salt % 2 === 0 ? ('yes' as const) : ('no' as const)
  const ticks = 400 + (salt % 150)
  return orderBody(trader, market, { isBuy, outcome, ticks, sizeRaw: SHARE, type: 'GTC', salt })
}

test('books are read at a moderate load without one failure', async () => {
  const { statuses, errors } = await fire({
    connections: MODERATE_CONNECTIONS,
    duration: 2,
    requests: [{ method: 'GET', path: '/markets/rain-tomorrow/orderbook' }],
  })
  assert.deepEqual([Object.keys(statuses), errors], [['200'], 0], JSON.stringify(statuses))
})

test(`all of ${ORDERS} signed orders are taken at a moderate load`, async () => {
  const bodies = Array.from({ length: ORDERS }, (_, index) => orderOf(index + 1))
  let next = 0
  const { statuses, errors } = await fire({
    connections: MODERATE_CONNECTIONS,
    amount: ORDERS,
    requests: [
      { setupRequest: (request) => ({ ...request, ...signedPost(bodies[next++ % ORDERS]) }) },
    ],
  })
  // The tool prepares one more request per connection than it sends, so a body can repeat.
  const { 201: taken = 0, 409: repeated = 0, ...others } = statuses
  assert.deepEqual([others, errors], [{}, 0], JSON.stringify(statuses))
  assert.equal(taken + repeated, ORDERS)
  assert.ok(repeated <= MODERATE_CONNECTIONS, `${repeated} repeated`)
})

test('far beyond that load, reads get 200 or 503 with Retry-After, and orders work', async () => {
  const path = `/markets/${market.slug}/user-orders?statuses=LIVE&statuses=CANCELED&limit=200`
  const headers = headersFor(trader, { method: 'GET', path, body: '' })
  const { statuses, silent503 } = await fire({
    connections: FLOOD_CONNECTIONS,
    duration: FLOOD_SEC,
    timeout: 30,
    requests: [{ method: 'GET', path, headers }],
  })
  console.log(JSON.stringify(statuses))
  const unexpected = Object.keys(statuses).filter((status) => status !== '200' && status !== '503')
  assert.deepEqual(unexpected, [])
  assert.ok((statuses['503'] ?? 0) > 0, 'the flood is more than the exchange can take')
  assert.equal(silent503, 0)
  await client.placed(trader, market, {
    isBuy: true,
    outcome: 'yes',
    ticks: 1,
    sizeRaw: SHARE,
    type: 'GTC',
    salt: ORDERS + 1,
  })
  assert.deepEqual(await server.stop(), await verify(dataDir))
})
