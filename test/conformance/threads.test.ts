import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import {
  bookShape,
  ExchangeClient,
  orderShape,
  refusalShape,
  SHARE,
  shaped,
  type TestMarket,
  type Trader,
  type Wanted,
} from '../support/exchange-client.ts'
import { freshSeed, Random } from '../support/random.ts'
import { compileProgram, type Mark, ServerProcess, verify } from '../support/server-process.ts'

const THREADS = ['16', '3', 'each', '0'] as const
/** Threads that own their books, and none: they take over a recovered book in two ways. */
const RECOVERED = ['3', '0'] as const
const MARKETS = 5
const TRADERS = 3
const ORDERS = 150
const EACH_MARKETS_MAX = 64
const seed = freshSeed()
await compileProgram()

function serve(dataDir: string, threads: string): Promise<ServerProcess> {
  // No block is due while a slow machine starts and stops: it would be one more command.
  const blocks = ['--block-ms', '60000']
  const args = ['--market-threads', threads, '--no-rate-limit', ...blocks]
  return ServerProcess.start({ dataDir, args })
}

function requestOf(random: Random, salt: number): Wanted {
  return {
    isBuy: random.chance(0.7),
    outcome: random.chance(0.5) ? 'yes' : 'no',
    ticks: random.between(450, 550),
    sizeRaw: random.between(1, 20_000) * 1000,
    type: random.pick(['GTC', 'GTC', 'GTC', 'FAK', 'FOK'] as const),
    salt,
  }
}

/** Plays the same sequence each time; gives what the clients received, without ids and times. */
async function trade(client: ExchangeClient): Promise<unknown[]> {
  const random = new Random(seed)
  const markets: TestMarket[] = []
  const traders: Trader[] = []
  for (let index = 0; index < MARKETS; index++) {
    markets.push(await client.makeMarket(`threads-${index}`, index % 2 === 0))
  }
  for (let index = 0; index < TRADERS; index++) {
    traders.push(await client.makeTrader(`threads ${index}`, 1_000_000 * SHARE))
  }
  const reported: unknown[] = []
  for (let salt = 1; salt <= ORDERS; salt++) {
    const trader = random.pick(traders)
    const market = random.pick(markets)
    const { status, body } = await client.place(trader, market, requestOf(random, salt))
    if (orderShape.holds(body)) {
      const { order, execution, makerMatches } = body
      const sizes = makerMatches.map(({ matchedSize }) => matchedSize)
      reported.push([order.status, execution.totalsRaw, sizes])
    } else reported.push([status, shaped(refusalShape, body).code])
    if (random.chance(0.03)) await client.call(trader, 'DELETE', `/orders/all/${market.slug}`)
  }
  for (const { slug } of markets) {
    const { bids, asks } = shaped(bookShape, await client.get(`/markets/${slug}/orderbook`))
    reported.push([bids, asks])
  }
  for (const trader of traders) reported.push(await client.balances(trader))
  return reported
}

test('replies, books and balances are the same with any number of market threads', async () => {
  const journals: { dataDir: string; stopped: Mark }[] = []
  let expected: unknown[] | undefined
  for (const threads of THREADS) {
    const dataDir = newFolder()
    const server = await serve(dataDir, threads)
    const reported = await trade(new ExchangeClient(server.baseUrl))
    journals.push({ dataDir, stopped: await server.stop() })
    expected ??= reported
    assert.deepEqual(reported, expected, `--market-threads ${threads}`)
  }
  const [{ dataDir, stopped }] = journals
  assert.deepEqual(await verify(dataDir), stopped, 'the journal gives the hash of the stop')
  for (const threads of RECOVERED) {
    const copy = newFolder()
    cpSync(dataDir, copy, { recursive: true })
    const server = await serve(copy, threads)
    assert.deepEqual(server.recovered, stopped, `recovered by --market-threads ${threads}`)
    assert.deepEqual(await server.stop(), stopped, `hashed by --market-threads ${threads}`)
  }
})

test('`each` gives every market its own thread, and refuses one market too many', async () => {
  const server = await serve(newFolder(), 'each')
  try {
    const client = new ExchangeClient(server.baseUrl)
    for (let index = 1; index <= EACH_MARKETS_MAX; index++) {
      await client.makeMarket(`each-${index}`, false)
    }
    const body = { kind: 'clob', slug: 'each-65', title: 'One too many' }
    const { status, body: refusal } = await client.adminReply('/admin/markets', body)
    const { code } = shaped(refusalShape, refusal)
    assert.equal(code, 'MARKET_LIMIT', JSON.stringify(refusal))
    assert.ok(status === 400 || status === 503, String(status))
    await client.get('/markets/each-64/orderbook')
  } finally {
    await server.kill()
  }
})
